/** The camera in the hand of the mouse: dragged, and larger or smaller with the wheel. */
import { type Camera, magnified } from './camera';

/** A drag shorter than this is a click. */
const STILL = 4;

/** Moves the camera with the mouse until the function that is returned is called. */
export function moving(svg: SVGSVGElement, camera: () => Camera, look: (to: Camera) => void): () => void {
  let start: { readonly x: number; readonly y: number; readonly camera: Camera; far: boolean } | undefined;
  const down = (event: PointerEvent): void => {
    if (event.button === 0) start = { x: event.clientX, y: event.clientY, camera: camera(), far: false };
  };
  const move = (event: PointerEvent): void => {
    if (!start) return;
    const [x, y] = [event.clientX - start.x, event.clientY - start.y];
    if (!start.far && Math.hypot(x, y) < STILL) return;
    if (!start.far) svg.setPointerCapture(event.pointerId);
    start.far = true;
    look({ ...start.camera, x: start.camera.x + x, y: start.camera.y + y });
  };
  const up = (): void => {
    start = undefined;
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const factor = Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015));
    look(magnified(camera(), { x: event.clientX - box.left, y: event.clientY - box.top }, factor));
  };
  svg.addEventListener('pointerdown', down);
  svg.addEventListener('pointermove', move);
  svg.addEventListener('pointerup', up);
  svg.addEventListener('pointercancel', up);
  svg.addEventListener('wheel', wheel, { passive: false });
  return () => {
    svg.removeEventListener('pointerdown', down);
    svg.removeEventListener('pointermove', move);
    svg.removeEventListener('pointerup', up);
    svg.removeEventListener('pointercancel', up);
    svg.removeEventListener('wheel', wheel);
  };
}
