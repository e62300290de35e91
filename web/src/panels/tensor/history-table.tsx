/** The history as a table: for screen readers, and for whoever wants the numbers. */
import { badSign } from '../../parts/breakdown';
import { Move } from '../../parts/move';
import { count, counted, exact, NONE, percent, short } from '../../parts/numbers';
import { badPoints, type History, type Point, whenOf } from './history';

const MOST = 200;

export function HistoryTable({ history }: { readonly history: History }) {
  const shown = fewer(history);
  const left = history.points.length - shown.length;
  return (
    <details class="history-table">
      <summary>As a table</summary>
      {left ? <p>{counted(left, 'finite event')} between these are left out.</p> : null}
      <table>
        <thead>
          <tr>
            {['When', 'Min', 'Mean', 'Max', 'Std', 'Zeros', 'Not finite'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((point) => (
            <Row key={point.event} point={point} />
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Row({ point }: { readonly point: Point }) {
  const { health } = point;
  return (
    <tr>
      <th scope="row">
        <Move to={{ event: point.event }} title={`Event ${count(point.event)}`}>
          {whenOf(point)}
        </Move>
      </th>
      {[health?.min, health?.mean, health?.max, health?.std].map((value, index) => (
        <td key={index} title={exact(value)}>
          {short(value)}
        </td>
      ))}
      <td>{health && health.zero !== null ? percent(health.zero, health.size) : NONE}</td>
      <td class="history-bad">{badSign(health) || NONE}</td>
    </tr>
  );
}

/** The points that are not finite, as many as there is room for, and others evenly between. */
function fewer(history: History): readonly Point[] {
  const { points } = history;
  if (points.length <= MOST) return points;
  const kept = new Set(badPoints(history).slice(0, MOST / 2));
  const step = points.length / (MOST - kept.size);
  for (let at = 0; at < points.length; at += step) kept.add(Math.floor(at));
  kept.add(points.length - 1);
  return points.filter((_, index) => kept.has(index));
}
