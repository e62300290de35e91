/** Queries in SQL over the tables of the run, with the answer as a table and a drawing. They only read. */
import { useState } from 'preact/hooks';
import { answers } from '../../api/current';
import { count, counted } from '../../parts/numbers';
import { Nothing, Panel } from '../../parts/panel';
import { go, place, where } from '../../state/store';
import { useAnswer } from '../../state/use-answer';
import { chartOf } from './chart-of';
import { EXAMPLES } from './examples';
import { SqlChart } from './sql-chart';
import { SqlTable } from './sql-table';
import './sql.css';

export function SqlPanel() {
  const { query } = place.value;
  const [again, setAgain] = useState(0);
  const { answer, problem, busy } = useAnswer(
    query ? (signal) => answers.sql(where.peek(), query, signal) : undefined,
    [where.value, query, again],
  );
  const chart = answer && !problem ? chartOf(answer) : undefined;
  return (
    <Panel name="sql" title="SQL" problem={problem} busy={busy} head={<Extent rows={answer} />}>
      <div class="sql">
        <Question
          key={query}
          asked={query}
          onAsk={(wanted) => {
            go({ view: 'sql', query: wanted });
            setAgain(again + 1);
          }}
        />
        {answer && !problem ? (
          <div class={`sql-answer${chart ? ' sql-with-chart' : ''}`}>
            {answer.rows.length ? <SqlTable answer={answer} /> : <Nothing>No rows.</Nothing>}
            {chart ? <SqlChart chart={chart} /> : null}
          </div>
        ) : null}
      </div>
    </Panel>
  );
}

function Extent({
  rows,
}: {
  readonly rows: { readonly rows: readonly unknown[]; readonly total: number } | undefined;
}) {
  if (!rows) return null;
  const cut = rows.rows.length < rows.total ? `, the first ${count(rows.rows.length)} are shown` : '';
  return (
    <span class="muted">
      {counted(rows.total, 'row')}
      {cut}
    </span>
  );
}

interface QuestionProps {
  readonly asked: string;
  readonly onAsk: (query: string) => void;
}

function Question({ asked, onAsk }: QuestionProps) {
  const [typed, setTyped] = useState(asked);
  const ask = (query: string): void => {
    if (query.trim()) onAsk(query.trim());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed);
      }}
    >
      <textarea
        id="sql-query"
        aria-label="Query in SQL"
        rows={Math.min(Math.max(typed.split('\n').length, 3), 12)}
        spellcheck={false}
        placeholder="select op_type, count(*) as n from events group by all order by n desc"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          ask(typed);
        }}
      />
      <div class="sql-buttons">
        <button type="submit" title="Ctrl Enter">
          Ask
        </button>
        <span class="muted">
          Tables: <code>events</code> (with names and lines), <code>tensors</code>, <code>executions</code>,{' '}
          <code>sites</code>, <code>functions</code>… <code>describe events</code> tells columns. Try:
        </span>
        {EXAMPLES.map(({ title, query }) => (
          <button key={title} type="button" onClick={() => ask(query)}>
            {title}
          </button>
        ))}
      </div>
    </form>
  );
}
