/** The operations made at the chosen line, each a way to its event; and the ways to the next line that made any. */
import type { Margin, OperationAtLine } from '../../api/types';
import { Move } from '../../parts/move';
import { compact, counted } from '../../parts/numbers';
import { go } from '../../state/store';
import { nextMargin, type Spot } from './shown';

interface MadeHereProps {
  readonly margins: readonly Margin[];
  readonly spot: Spot;
  readonly line: number;
}

export function MadeHere({ margins, spot, line }: MadeHereProps) {
  const here = margins.find((margin) => margin.line === line);
  const toLine = (by: 1 | -1) => {
    const next = nextMargin(margins, line, by);
    return (
      <button
        type="button"
        disabled={!next}
        aria-label={by > 0 ? 'Next line with operations' : 'Previous line with operations'}
        title={by > 0 ? 'Next line with operations' : 'Previous line with operations'}
        onClick={() => next && go({ file: spot.file, line: next.line }, 'replace')}
      >
        {by > 0 ? '↓' : '↑'}
      </button>
    );
  };
  return (
    <section class="made-here" aria-label={`Made at line ${line}`}>
      <span class="made-line">line {line}</span>
      {toLine(-1)}
      {toLine(1)}
      {here ? (
        <ul>
          {here.operations.map((operation) => (
            <li key={`${operation.function} ${operation.op_type} ${operation.name}`}>
              <Operation operation={operation} spot={{ file: spot.file, line }} />
            </li>
          ))}
        </ul>
      ) : (
        <span class="muted">made no operation</span>
      )}
    </section>
  );
}

function Operation({ operation, spot }: { readonly operation: OperationAtLine; readonly spot: Spot }) {
  const { op_type: type, name, function: owner, event, events, non_finite: bad } = operation;
  const words = `${name}${owner ? ` in ${owner}()` : ''}: ${counted(events, 'event')}, ${counted(bad, 'not finite', 'not finite')}`;
  const shown = (
    <>
      {bad ? <span class="bad">✕ </span> : null}
      {type}
      <span class="muted"> {bad ? `${compact(bad)} of ${compact(events)}` : compact(events)}</span>
    </>
  );
  if (event === null) return <span title={words}>{shown}</span>;
  return (
    <Move to={{ event, ...spot }} title={words}>
      {shown}
    </Move>
  );
}
