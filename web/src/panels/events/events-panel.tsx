/** The events panel. */
export function EventsPanel() {
  return <section class="panel panel-events" aria-label="events" />;
}
