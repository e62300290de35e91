/** What the headline has no room for: how the manual names the cause, what it was made from and what it spread to. */
import type { Finding } from '../../api/types';
import { EventLine, InputLine } from '../../parts/event-line';
import { fileName } from '../../parts/file-name';
import { Move } from '../../parts/move';
import { counted } from '../../parts/numbers';
import { Prose } from '../../parts/prose';

export function FindingDetails({ finding }: { readonly finding: Finding }) {
  const { harmless_because: harmless, cause, gradient_of: gradient, source } = finding;
  return (
    <div class="finding-details">
      <p>
        <code class="finding-cause">{cause}</code>
      </p>
      {gradient && !source ? (
        <p>
          The gradient of <code>{gradient}</code>.
        </p>
      ) : null}
      {harmless ? (
        <p>
          <strong>Harmless:</strong> <Prose text={harmless} />
        </p>
      ) : null}
      <Tensor finding={finding} />
      <Inputs finding={finding} />
      <Beginnings finding={finding} />
      <Spread finding={finding} />
      <Decided finding={finding} />
      <Arrivals finding={finding} />
      <Also finding={finding} />
    </div>
  );
}

function Tensor({ finding: { event } }: { readonly finding: Finding }) {
  if (!event) return null;
  return (
    <>
      <h3>Tensor</h3>
      <EventLine row={event} />
    </>
  );
}

function Inputs({ finding: { inputs, kind } }: { readonly finding: Finding }) {
  if (!inputs.length) return null;
  return (
    <>
      <h3>{kind === 'failure' ? 'It was given' : 'Made from'}</h3>
      {inputs.map((input) => (
        <InputLine key={input.slot} input={input} slot="input" />
      ))}
    </>
  );
}

function Beginnings({ finding: { beginnings } }: { readonly finding: Finding }) {
  if (!beginnings.length) return null;
  return (
    <>
      <h3>Where it began</h3>
      {beginnings.map(({ what, text, source }) => (
        <p key={`${what} ${text}`} class="finding-beginning">
          {source ? (
            <Move to={{ file: source.file, line: source.line }} title={`${source.file}:${source.line}`}>
              <Prose text={text} />{' '}
              <span class="muted">
                {fileName(source.file)}:{source.line}
              </span>
            </Move>
          ) : (
            <Prose text={text} />
          )}
        </p>
      ))}
    </>
  );
}

function Spread({ finding: { spread } }: { readonly finding: Finding }) {
  if (!spread) return null;
  return (
    <>
      <h3>
        Spread to {counted(spread.tensors, 'tensor')}
        {spread.reaches.length ? `; reached ${spread.reaches.join(', ')}` : ''}
      </h3>
      {spread.first.map((row) => (
        <EventLine key={row.event} row={row} />
      ))}
    </>
  );
}

function Decided({ finding: { decided } }: { readonly finding: Finding }) {
  if (!decided.length) return null;
  return (
    <>
      <h3>Decided</h3>
      {decided.map(({ what, text, source }) => (
        <p key={`${what} ${text}`} class="finding-decided">
          {source ? (
            <Move to={{ file: source.file, line: source.line }} title={`${source.file}:${source.line}`}>
              <Prose text={text} />
            </Move>
          ) : (
            <Prose text={text} />
          )}
        </p>
      ))}
    </>
  );
}

function Arrivals({ finding: { arrivals } }: { readonly finding: Finding }) {
  if (!arrivals.length) return null;
  return (
    <>
      <h3>Came into other processes</h3>
      {arrivals.map(({ process, event, tensor, kind }) => (
        <p key={`${process} ${event}`}>
          <Move to={{ process, event }}>
            <code>{tensor}</code>
          </Move>{' '}
          in {process}, by {kind}
        </p>
      ))}
    </>
  );
}

function Also({ finding: { also } }: { readonly finding: Finding }) {
  if (!also.length) return null;
  return (
    <>
      <h3>Likewise</h3>
      <p class="finding-also">
        {also.map((name) => (
          <code key={name}>{name}</code>
        ))}
      </p>
    </>
  );
}
