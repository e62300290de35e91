/** The values panel. */
export function ValuesPanel() {
  return <section class="panel panel-values" aria-label="values" />;
}
