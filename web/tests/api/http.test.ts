import { afterEach, describe, expect, it, vi } from 'vitest';
import { AnswerError } from '../../src/api/answers';
import { httpAnswers } from '../../src/api/http';

const WHERE = { run: '', process: '' };

/** A server that sends the beginning of an answer, and the rest never, or when told to. */
function half(status: number, ends: (body: ReadableStreamDefaultController, signal: AbortSignal | undefined) => void) {
  vi.stubGlobal('fetch', async (_: string, options: RequestInit) => {
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('{"revision":'));
        ends(stream, options.signal ?? undefined);
      },
    });
    return new Response(body, { status });
  });
}

afterEach(() => vi.unstubAllGlobals());

describe('an answer over HTTP', () => {
  it('that is given up halfway is none', async () => {
    const given = new AbortController();
    half(200, (body, signal) => signal?.addEventListener('abort', () => body.error(signal.reason)));
    const asked = httpAnswers.timeline(WHERE, undefined, 100, given.signal);
    given.abort();
    await expect(asked).rejects.toThrow(given.signal.reason);
  });

  it('that is cut off is an error with a sentence', async () => {
    half(200, (body) => body.close());
    const asked = httpAnswers.live(WHERE, 0, 0);
    await expect(asked).rejects.toThrow(AnswerError);
    await expect(asked).rejects.toThrow("can't be read (status 200)");
  });

  it("that is an error brings the server's sentence", async () => {
    vi.stubGlobal('fetch', async () => new Response('{"error":"no event 7; take one below 5"}', { status: 404 }));
    await expect(httpAnswers.event(WHERE, 7)).rejects.toThrow('no event 7; take one below 5');
  });
});
