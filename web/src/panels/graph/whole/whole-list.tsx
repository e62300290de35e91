/** A whole graph as a list: boxes with what is in them, to read without looking at a drawing. */
import type { WholeView } from '../../../api/types';
import { fullName, nodeWords, SIGNS, typeWords } from '../words';
import { chooseIn, toggleBox } from './act';
import { boxTitle, boxWords, insideWords } from './words';

export function WholeList({ view }: { readonly view: WholeView }) {
  return (
    <div class="graph-list">
      <Inside view={view} box="" />
    </div>
  );
}

function Inside({ view, box }: { readonly view: WholeView; readonly box: string }) {
  return (
    <ul>
      {view.boxes
        .filter((each) => each.inside === box)
        .map((each) => (
          <li key={each.box}>
            <span class={`graph-entry graph-entry-${each.health}`}>
              <button
                type="button"
                aria-expanded={each.opened}
                title={boxWords(each)}
                onClick={() => toggleBox(each, view)}
              >
                <span class="graph-entry-sign">{each.opened ? '−' : '+'}</span> <strong>{boxTitle(each)}</strong>
              </button>
              <span class="graph-entry-edge">
                <span class="graph-entry-sign">{SIGNS[each.health] ?? ''}</span> {insideWords(each)}
                {each.origin ? ', origin' : ''}
              </span>
            </span>
            {each.opened ? <Inside view={view} box={each.box} /> : null}
          </li>
        ))}
      {view.nodes
        .filter((node) => node.inside === box)
        .map((node) => (
          <li key={node.node}>
            <span class={`graph-entry graph-entry-${node.health}`}>
              <button
                type="button"
                title={nodeWords(node, view.centre)}
                aria-current={node.node === view.centre ? 'true' : undefined}
                onClick={() => chooseIn(node, view)}
              >
                <span class="graph-entry-sign">{SIGNS[node.health] ?? ''}</span> <strong>{typeWords(node)}</strong>{' '}
                <span class="mono">{fullName(node)}</span>
              </button>
              {node.origin ? <span class="graph-entry-edge">origin</span> : null}
            </span>
          </li>
        ))}
    </ul>
  );
}
