/** The findings panel. */
export function FindingsPanel() {
  return <section class="panel panel-findings" aria-label="findings" />;
}
