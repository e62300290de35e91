/** Which part of the time is in view, and how it moves. Times are nanoseconds since 1970. */

/** From when to when. */
export interface View {
  readonly begin: number;
  readonly end: number;
}

/** The clocks' numbers are kept in doubles, which tell apart 256 ns: the view never gets narrower than this. */
export const NARROWEST = 200_000;

/** The whole time of a trace; one that lasted no time is given a millisecond to be drawn in. */
export function wholeView(first: number, last: number): View {
  return last > first ? { begin: first, end: last } : { begin: first - 500_000, end: first + 500_000 };
}

/** Where a time stands in a drawing of a width; may lie outside. */
export function timeToX(view: View, width: number, time: number): number {
  return ((time - view.begin) / (view.end - view.begin)) * width;
}

/** The time at a place of the drawing. */
export function xToTime(view: View, width: number, x: number): number {
  return view.begin + (x / width) * (view.end - view.begin);
}

/** Narrower (a factor below 1) or wider around a time, which stays where it is. */
export function zoomed(view: View, whole: View, around: number, factor: number): View {
  const length = view.end - view.begin;
  const wanted = Math.max(Math.min(length * factor, whole.end - whole.begin), NARROWEST);
  const share = (around - view.begin) / length;
  return inside({ begin: around - share * wanted, end: around + (1 - share) * wanted }, whole);
}

/** Moved by a time, as far as there is something. */
export function panned(view: View, whole: View, by: number): View {
  return inside({ begin: view.begin + by, end: view.end + by }, whole);
}

/** Moved just so far that a stretch of time stands in it, in its middle; as it was if it does already. */
export function showing(view: View, whole: View, begin: number, end: number): View {
  if (begin >= view.begin && end <= view.end) return view;
  const length = view.end - view.begin;
  const wanted = Math.max(length, Math.min((end - begin) * 1.5, whole.end - whole.begin));
  const middle = (begin + end) / 2;
  return inside({ begin: middle - wanted / 2, end: middle + wanted / 2 }, whole);
}

/** What is between two times, in any order, but not narrower than can be drawn. */
export function between(one: number, other: number, whole: View): View {
  const middle = (one + other) / 2;
  const half = Math.max(Math.abs(one - other), NARROWEST) / 2;
  return inside({ begin: middle - half, end: middle + half }, whole);
}

/** Whether the view reaches to the end, so that it goes on with it while the program runs. */
export function touchesEnd(view: View, last: number): boolean {
  return view.end >= last - (view.end - view.begin) / 200;
}

/** The view moved on to a later end. */
export function atEnd(view: View, last: number): View {
  return { begin: last - (view.end - view.begin), end: last };
}

/** Whether all of the time is in view, as near as one can see. */
export function isWhole(view: View, whole: View): boolean {
  const slack = (whole.end - whole.begin) / 1000;
  return view.begin <= whole.begin + slack && view.end >= whole.end - slack;
}

/** The view with a margin on both sides: what is asked for, so that a small move needs no new answer. */
export function withMargin(view: View, whole: View): View {
  const margin = (view.end - view.begin) / 2;
  return { begin: Math.max(view.begin - margin, whole.begin), end: Math.min(view.end + margin, whole.end) };
}

function inside(view: View, whole: View): View {
  const length = view.end - view.begin;
  if (length >= whole.end - whole.begin) return whole;
  const begin = Math.min(Math.max(view.begin, whole.begin), whole.end - length);
  return { begin, end: begin + length };
}
