/** The source panel. */
export function SourcePanel() {
  return <section class="panel panel-source" aria-label="source" />;
}
