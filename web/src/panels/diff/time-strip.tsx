/** When one of the runs computed the chosen value: all that it ran over time, with a mark. */
import type { Where } from '../../api/answers';
import { answers } from '../../api/current';
import type { Lane } from '../../api/types';
import { duration } from '../../parts/numbers';
import { useAnswer } from '../../state/use-answer';

const WIDTH = 400;

export function TimeStrip({ of, at, name }: { readonly of: Where; readonly at: number | undefined; name: string }) {
  const { answer } = useAnswer((signal) => answers.timeline(of, undefined, WIDTH, signal), [of.run, of.process]);
  if (!answer) return null;
  const length = Math.max(answer.end_ns - answer.begin_ns, 1);
  const across = (time: number): number => (WIDTH * (time - answer.begin_ns)) / length;
  const lanes = answer.lanes.filter(({ device }) => !device);
  const told = at === undefined ? '' : `: the value was computed ${duration(at - answer.begin_ns)} after the beginning`;
  return (
    <svg
      class="diff-strip"
      viewBox={`0 0 ${WIDTH} ${10 * Math.max(lanes.length, 1)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Timeline of ${name}${told}`}
    >
      {lanes.map((lane, row) =>
        parts(lane).map(([begin, end]) => (
          <rect
            key={`${lane.lane} ${begin}`}
            x={across(begin)}
            y={10 * row + 1}
            width={Math.max(1, across(end) - across(begin))}
            height={8}
          />
        )),
      )}
      {at === undefined ? null : (
        <line class="diff-mark" x1={across(at)} x2={across(at)} y1={0} y2={10 * Math.max(lanes.length, 1)} />
      )}
    </svg>
  );
}

/** Begin and end of what a lane ran. */
function parts({ spans, bins }: Lane): readonly (readonly [number, number])[] {
  const busy = bins.filter(({ functions, eager }) => functions + eager > 0);
  return [...spans, ...busy].map(({ begin_ns, end_ns }) => [begin_ns, end_ns] as const);
}
