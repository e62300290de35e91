/** The head of the graph panel: the whole function or what is around an operation, drawn or as a list. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { go, place } from '../../state/store';

/** Whether the graph takes the whole window. */
export const large = signal(false);

interface GraphHeadProps {
  readonly form: 'drawing' | 'list';
  readonly setForm: (form: 'drawing' | 'list') => void;
  readonly children: ComponentChildren;
}

export function GraphHead({ form, setForm, children }: GraphHeadProps) {
  const { graph } = place.value;
  return (
    <div class="graph-head">
      <span class="graph-forms graph-which">
        <button
          type="button"
          aria-pressed={graph === 'whole'}
          title="The whole function in boxes, open down to the chosen operation"
          onClick={() => go({ graph: 'whole' }, 'replace')}
        >
          Whole
        </button>
        <button
          type="button"
          aria-pressed={graph === 'around'}
          title="What the chosen operation was computed from, and what took its result"
          onClick={() => go({ graph: 'around' }, 'replace')}
        >
          Around
        </button>
      </span>
      {children}
      <span class="graph-forms graph-as">
        <button
          type="button"
          aria-pressed={form === 'list'}
          title="The same as a list"
          onClick={() => setForm(form === 'list' ? 'drawing' : 'list')}
        >
          List
        </button>
        <button
          type="button"
          aria-pressed={large.value}
          title={large.value ? 'Back to its place (Esc)' : 'The graph in the whole window'}
          onClick={() => {
            large.value = !large.value;
          }}
        >
          Large
        </button>
      </span>
    </div>
  );
}
