/** The tensor panel. */
export function TensorPanel() {
  return <section class="panel panel-tensor" aria-label="tensor" />;
}
