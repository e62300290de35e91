/** The event panel. */
export function EventPanel() {
  return <section class="panel panel-event" aria-label="event" />;
}
