/** The way from the origin as a straight column on the left of what is laid out, and the rest beside it. */
import type { Area, Point } from '../layout';
import type { PlacedBundle } from './layout';
import type { Way } from './way';

/** What is in one box, from its upper left corner. */
export interface Level {
  readonly width: number;
  readonly height: number;
  readonly at: ReadonlyMap<string, Point>;
  readonly bundles: readonly PlacedBundle[];
}

/** Between the column and the rest. */
const GAP = 44;
/** So far above and below the column what comes from the rest turns. */
const TURN = 12;

/** The same with the trunk of the way below one another; each thing stays as high as it is. */
export function withSpine(level: Level, areas: ReadonlyMap<string, Area>, { trunk, joints }: Way): Level {
  const [own, rest] = [true, false].map((wanted) =>
    [...areas].flatMap(([id, area]) => (trunk.has(id) === wanted ? [area] : [])),
  ) as [Area[], Area[]];
  if (!own.length || !rest.length) return level;
  const column = Math.max(...own.map(({ width }) => width));
  const bends = level.bundles.flatMap(({ points, bundle }) => (joints.has(bundle) ? [] : points.slice(1, -1)));
  const left = Math.min(...rest.map(({ x, width }) => x - width / 2), ...bends.map(({ x }) => x));
  const right = Math.max(...rest.map(({ x, width }) => x + width / 2), ...bends.map(({ x }) => x));
  const shifted = ({ x, y }: Point): Point => ({ x: x - left + column + GAP, y });
  const border = (id: string, down: boolean): number => {
    const { y, height } = areas.get(id) ?? { y: 0, height: 0 };
    return down ? y + height / 2 : y - height / 2;
  };
  /** Where a bundle that is no joint ends: at a thing of the column right of the middle, above it or below. */
  const ending = (id: string, end: Point, down: boolean): readonly Point[] => {
    if (!trunk.has(id)) return [shifted(end)];
    const [x, y] = [column / 2 + (areas.get(id)?.width ?? 0) / 4, border(id, down)];
    return [
      { x, y },
      { x, y: y + (down ? TURN : -TURN) },
    ];
  };
  const joint = (placed: PlacedBundle): PlacedBundle => {
    const { source, target } = placed.bundle;
    const downwards = border(source, true) < border(target, false);
    const ends = [border(source, downwards), border(target, !downwards)];
    const label = placed.label && { x: column / 2, y: placed.label.y };
    return { ...placed, label, points: ends.map((y) => ({ x: column / 2, y })) };
  };
  return {
    width: column + GAP + right - left,
    height: level.height,
    at: new Map([...level.at].map(([id, at]) => [id, trunk.has(id) ? { x: column / 2, y: at.y } : shifted(at)])),
    bundles: level.bundles.map((placed) => {
      const { bundle, points, label } = placed;
      const [first, last] = [points[0], points.at(-1)];
      if (!first || !last) return placed;
      if (joints.has(bundle)) return joint(placed);
      const ends = [ending(bundle.source, first, true), ending(bundle.target, last, false)] as const;
      const bent = [...ends[0], ...points.slice(1, -1).map(shifted), ...[...ends[1]].reverse()];
      return { ...placed, points: bent, label: label && shifted(label) };
    }),
  };
}
