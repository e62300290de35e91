import { describe, expect, it } from 'vitest';
import type { EventList } from '../../src/api/answers';
import { savedAnswers } from '../../src/api/saved';
import { CONTENT, HERE, OTHER } from './content';

const answers = savedAnswers(CONTENT);
const ALL: EventList = { search: '', order: 'event', descending: false };

describe('a saved page', () => {
  it('puts an event together from rows and stacks that are there once', async () => {
    const view = await answers.event(HERE, 7);
    expect(view.row.tensor).toBe('Log:0');
    expect(view.inputs.map((each) => each.row?.tensor)).toEqual(['probs:0']);
    expect(view.stack).toEqual(CONTENT.lines);
  });

  it('says in a sentence what it does not hold', async () => {
    const sentence = 'This saved page does not hold the event 8; open the trace with `tdbg view`.';
    await expect(answers.event(HERE, 8)).rejects.toMatchObject({ message: sentence, status: 404 });
    await expect(answers.execution(HERE, 99)).rejects.toThrow('execution 99');
    await expect(answers.source(HERE, 'other.py')).rejects.toThrow('file other.py');
    await expect(answers.events({ run: '', process: 'worker 9' }, ALL, 0, 10)).rejects.toThrow('process worker 9');
  });

  it('pages the rows that it holds', async () => {
    const page = await answers.events(HERE, ALL, 1, 1);
    expect([page.total, page.begin, page.rows.map((row) => row.event)]).toEqual([3, 1, [7]]);
    expect((await answers.events(OTHER, ALL, 0, 10)).total).toBe(0);
  });

  it('finds where an event stands and the next that fits', async () => {
    const down = { ...ALL, descending: true };
    expect(await answers.place(HERE, down, 3)).toEqual({ event: 3, row: 2 });
    expect(await answers.place(HERE, ALL, 5)).toEqual({ event: null, row: null });
    expect(await answers.next(HERE, 'nonfinite', -1, 'forward')).toEqual({ event: 7, row: 0 });
    expect(await answers.next(HERE, '', 7, 'backward')).toEqual({ event: 3, row: 0 });
    expect(await answers.next(HERE, 'nonfinite', 9, 'forward')).toEqual({ event: null, row: null });
  });

  it('shows the part of the timeline that is asked for', async () => {
    const whole = await answers.timeline(HERE, undefined, 100);
    const part = await answers.timeline(HERE, [20, 30], 100);
    expect(whole.lanes[0]?.spans.length).toBe(2);
    expect([part.begin_ns, part.lanes[0]?.spans.map((span) => span.execution)]).toEqual([20, [2]]);
  });

  it('cuts rows and columns out of the elements', async () => {
    const request = { slice: '', rowOffset: 1, columnOffset: 1, rows: 1, columns: 5 };
    const view = await answers.values(HERE, 7, request);
    expect([view.rows, view.row_offset, view.rows_total]).toEqual([[[4]], 1, 2]);
    await expect(answers.values(HERE, 7, { ...request, slice: '[0]' })).rejects.toThrow('slice [0]');
  });

  it('has the graph around an event with the hops that were saved', async () => {
    const request = { event: 7, function: '', operation: '', hops: 1, opened: [] };
    expect((await answers.graph(HERE, request)).centre).toBe('Log');
    await expect(answers.graph(HERE, { ...request, hops: 2 })).rejects.toThrow('graph with 2 hops');
    await expect(answers.graph(HERE, { ...request, event: 3 })).rejects.toThrow('graph around event 3');
  });

  it('does not grow, and is not asked without end', async () => {
    expect(await answers.live(HERE, 0, 25)).toMatchObject({ running: false, revision: 5 });
    const stop = new AbortController();
    const waiting = answers.live(HERE, 5, 1000, stop.signal);
    stop.abort();
    expect((await waiting).revision).toBe(5);
  });
});
