/** The stack at which the operation was made, innermost first; what is not the user's own code is folded away. */
import { useSignal } from '@preact/signals';
import type { LineView } from '../../api/types';
import { fileName } from '../../parts/file-name';
import { Move } from '../../parts/move';
import { counted } from '../../parts/numbers';
import type { Spot } from './shown';

interface StackProps {
  /** Outermost first. */
  readonly stack: readonly LineView[];
  readonly spot: Spot | undefined;
}

export function Stack({ stack, spot }: StackProps) {
  const unfolded = useSignal(false);
  if (!stack.length) return null;
  const numbered = stack.map((frame, depth) => ({ frame, depth })).reverse();
  const library = stack.filter(({ user }) => !user).length;
  const shown = unfolded.value || library === stack.length ? numbered : numbered.filter(({ frame }) => frame.user);
  return (
    <nav class={unfolded.value ? 'stack unfolded' : 'stack'} aria-label="Stack">
      <ol>
        {shown.map(({ frame, depth }) => (
          <li key={depth} class={frame.user ? '' : 'library'}>
            <Frame frame={frame} spot={spot} />
          </li>
        ))}
      </ol>
      {library && library < stack.length ? (
        <button
          type="button"
          class="stack-fold"
          aria-expanded={unfolded.value}
          onClick={() => {
            unfolded.value = !unfolded.value;
          }}
        >
          {unfolded.value ? 'Fold library frames' : counted(library, 'library frame')}
        </button>
      ) : null}
    </nav>
  );
}

function Frame({
  frame: { file, line, function: name, text },
  spot,
}: {
  readonly frame: LineView;
  readonly spot: Spot | undefined;
}) {
  return (
    <Move
      class="frame"
      to={{ file, line }}
      current={spot?.file === file && spot.line === line}
      title={`${file}:${line}\n${text}`}
    >
      <span class="frame-function">{name}</span>{' '}
      <span class="frame-place">
        {fileName(file)}:{line}
      </span>
    </Move>
  );
}
