/** The timeline panel. */
export function TimelinePanel() {
  return <section class="panel panel-timeline" aria-label="timeline" />;
}
