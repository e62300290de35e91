import { describe, expect, it } from 'vitest';
import type { Answers, GraphRequest } from '../../../src/api/answers';
import { loadGraph, moreOf } from '../../../src/panels/graph/load';
import { edge, node, view } from './made';

const WHERE = { run: '', process: '' };

describe('loading a graph', () => {
  it('asks around the event, and then around each node that more is wanted of', async () => {
    const asked: GraphRequest[] = [];
    const first = view('b', [node('a', { event: null }), node('b')], [edge('a', 'b')]);
    const around = view('a', [node('z', { event: 9 }), node('a', { event: null })], [edge('z', 'a')]);
    const answers = {
      graph: async (_: unknown, request: GraphRequest) => {
        asked.push(request);
        return request.event === 5 ? first : around;
      },
    } as unknown as Answers;
    const opened = ['call', moreOf('a'), moreOf('z'), moreOf('gone')];
    const views = await loadGraph(answers, WHERE, { event: 5, hops: 2, opened }, new AbortController().signal);
    expect(views).toEqual([first, around, around]);
    expect(asked).toEqual([
      { event: 5, function: '', operation: '', hops: 2, opened: ['call'] },
      { event: undefined, function: 'step', operation: 'a', hops: 1, opened: ['call'] },
      { event: 9, function: '', operation: '', hops: 1, opened: ['call'] },
    ]);
  });
});
