/** The graph panel. */
export function GraphPanel() {
  return <section class="panel panel-graph" aria-label="graph" />;
}
