import { signal } from '@preact/signals';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnswerError } from '../../src/api/answers';
import { Latest, Patient, request, sentence } from '../../src/state/request';

/** Questions that are answered when it is told to. */
class Server {
  readonly asked: {
    readonly signal: AbortSignal;
    readonly answer: (said: string) => void;
    readonly fail: () => void;
  }[] = [];

  readonly ask = (given: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      this.asked.push({ signal: given, answer: resolve, fail: () => reject(new AnswerError('no such event', 404)) });
    });

  async answer(number: number, said: string): Promise<void> {
    this.asked[number]?.answer(said);
    await vi.advanceTimersByTimeAsync(0);
  }

  async fail(number: number): Promise<void> {
    this.asked[number]?.fail();
    await vi.advanceTimersByTimeAsync(0);
  }
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('a request', () => {
  it('hands on its answer, or the sentence of its error', async () => {
    const server = new Server();
    const said: string[] = [];
    request(
      server.ask,
      (answer) => said.push(answer),
      (problem) => said.push(`! ${problem}`),
    );
    request(
      server.ask,
      (answer) => said.push(answer),
      (problem) => said.push(`! ${problem}`),
    );
    await server.answer(0, 'one');
    await server.fail(1);
    expect(said).toEqual(['one', '! no such event']);
  });

  it('that is given up hands nothing on, neither an answer nor an error', async () => {
    const server = new Server();
    const said: string[] = [];
    const giveUps = [0, 1].map(() =>
      request(
        server.ask,
        (answer) => said.push(answer),
        (each) => said.push(each),
      ),
    );
    for (const giveUp of giveUps) giveUp();
    expect(server.asked.map((each) => each.signal.aborted)).toEqual([true, true]);
    await server.answer(0, 'late');
    await server.fail(1);
    expect(said).toEqual([]);
  });

  it('may wait, and is then not even asked when it is given up', async () => {
    const server = new Server();
    const giveUp = request(
      server.ask,
      () => undefined,
      () => undefined,
      80,
    );
    expect(server.asked).toHaveLength(0);
    giveUp();
    await vi.advanceTimersByTimeAsync(200);
    expect(server.asked).toHaveLength(0);
    request(
      server.ask,
      () => undefined,
      () => undefined,
      80,
    );
    await vi.advanceTimersByTimeAsync(200);
    expect(server.asked).toHaveLength(1);
  });

  it('tells of an error in the page as one', () => {
    expect(sentence(new Error('x is null'))).toBe('Something went wrong in the page: Error: x is null.');
  });
});

describe('of several questions', () => {
  it('the last counts, in whatever order they are answered', async () => {
    const server = new Server();
    const latest = new Latest();
    const said: string[] = [];
    const ask = (): void =>
      latest.ask(
        server.ask,
        (answer) => said.push(answer),
        (problem) => said.push(problem),
      );
    ask();
    ask();
    expect(latest.busy).toBe(true);
    await server.answer(1, 'second');
    expect(latest.busy).toBe(false);
    await server.answer(0, 'first');
    expect(said).toEqual(['second']);
  });

  it('the answer may ask the next', async () => {
    const server = new Server();
    const latest = new Latest();
    const said: string[] = [];
    const problem = (text: string): void => void said.push(text);
    latest.ask(server.ask, () => latest.ask(server.ask, (answer) => said.push(answer), problem), problem);
    await server.answer(0, 'first');
    expect(latest.busy).toBe(true);
    await server.answer(1, 'second');
    expect(said).toEqual(['second']);
  });
});

describe('a patient request', () => {
  it('is waited for while the same is wanted, and given up for anything else', async () => {
    const server = new Server();
    const problem = signal('');
    const patient = new Patient(problem);
    expect(patient.waitsFor('all')).toBe(false);
    patient.ask(server.ask, () => undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(patient.waitsFor('all')).toBe(true);
    expect(server.asked[0]?.signal.aborted).toBe(false);
    expect(patient.waitsFor('a part')).toBe(false);
    expect(server.asked[0]?.signal.aborted).toBe(true);
  });

  it('says what went wrong until the next answer', async () => {
    const server = new Server();
    const problem = signal('');
    const patient = new Patient(problem);
    patient.ask(server.ask, () => undefined);
    await vi.advanceTimersByTimeAsync(0);
    await server.fail(0);
    expect(problem.value).toBe('no such event');
    patient.ask(server.ask, () => undefined);
    await vi.advanceTimersByTimeAsync(0);
    await server.answer(1, 'well');
    expect(problem.value).toBe('');
  });
});
