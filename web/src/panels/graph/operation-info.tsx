/** What is known of an operation of which nothing was recorded. */
import type { NodeView } from '../../api/types';
import { go } from '../../state/store';
import { showMore } from './act';
import { fullName, healthWords, outputsOf } from './words';

export function OperationInfo({ node }: { readonly node: NodeView }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Operation', node.op_type],
    ['Name in the program', fullName(node) === node.name ? '' : node.title],
    ['Name', node.name],
    ['Layer', node.layer],
    ['Name scope', node.scope],
    ['Computes', outputsOf(node).join(', ')],
    ['Calls', node.calls.join(', ')],
    ['Health', healthWords(node.health)],
  ];
  return (
    <aside class="graph-info" aria-label={`Operation ${node.name}`}>
      <dl>
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="mono">{value}</dd>
            </div>
          ))}
      </dl>
      <p class="graph-info-why">
        {node.calls.length
          ? 'It calls functions: what it computes is recorded of the operations in them.'
          : 'No tensor of it was recorded here: it did not run in this execution, it was left out by a filter, or it computes nothing that can be measured.'}
      </p>
      <span class="graph-info-buttons">
        {node.hidden_inputs || node.hidden_consumers ? (
          <button type="button" onClick={() => showMore(node)}>
            Show its neighbours
          </button>
        ) : null}
        <button type="button" aria-label="Close" onClick={() => go({ operation: '' }, 'replace')}>
          ×
        </button>
      </span>
    </aside>
  );
}
