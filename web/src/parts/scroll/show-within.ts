/** Brings an element into view inside of the box that scrolls it, and moves nothing around that box. */

/**
 * @param box Selector of the box: the nearest one around the element.
 */
export function showWithin(element: Element, box: string): void {
  const around = element.closest(box);
  if (!around) return;
  const [inner, outer] = [element.getBoundingClientRect(), around.getBoundingClientRect()];
  const style = getComputedStyle(element);
  const [above, below] = [Number.parseFloat(style.scrollMarginTop), Number.parseFloat(style.scrollMarginBottom)];
  const [over, under] = [outer.top - inner.top + above, inner.bottom + below - outer.bottom];
  if (over > 0) around.scrollTop -= over;
  else if (under > 0) around.scrollTop += Math.min(under, -over);
}
