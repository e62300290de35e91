/** Pieces of something large: fetched when they come into view, and a bounded number of them kept. */
import { signal } from '@preact/signals';
import { type GiveUp, request } from './request';

export type AskPiece<Key, Piece> = (key: Key, signal: AbortSignal) => Promise<Piece>;

export class Pieces<Key, Piece> {
  /** Grows with each piece that comes. */
  readonly version = signal(0);
  /** What went wrong with the last piece that was asked for. */
  readonly problem = signal('');

  private readonly kept = new Map<Key, Piece>();
  private readonly stale = new Set<Key>();
  private readonly asked = new Map<Key, GiveUp>();
  private wanted: ReadonlySet<Key> = new Set();

  /**
   * @param ask Fetches a piece.
   * @param most So many are kept, and all that are wanted.
   * @param took Is told of each piece that has come; one of which it says false is not kept.
   */
  constructor(
    private readonly ask: AskPiece<Key, Piece>,
    private readonly most: number,
    private readonly took: (key: Key, piece: Piece) => boolean,
  ) {}

  /** A piece, if it is there. */
  get(key: Key): Piece | undefined {
    return this.kept.get(key);
  }

  /** The pieces that are there. */
  entries(): IterableIterator<[Key, Piece]> {
    return this.kept.entries();
  }

  /** Whether anything is on its way. */
  get busy(): boolean {
    return this.asked.size > 0;
  }

  /** Says what is seen: what is not there is fetched, and what else was asked for is given up. */
  want(keys: Iterable<Key>): void {
    this.wanted = new Set(keys);
    for (const [key, giveUp] of this.asked) {
      if (this.wanted.has(key)) continue;
      giveUp();
      this.asked.delete(key);
    }
    for (const key of this.wanted) if (!this.isFresh(key)) this.fetch(key);
  }

  /** Whether a piece is there and as it should be. */
  isFresh(key: Key): boolean {
    return this.kept.has(key) && !this.stale.has(key);
  }

  /** Says of which pieces there may be a newer one; they are fetched again when they are wanted. */
  spoil(isSpoilt: (key: Key, piece: Piece) => boolean): void {
    for (const [key, piece] of this.kept) if (isSpoilt(key, piece)) this.stale.add(key);
  }

  /** Fetches a piece, whether it is seen or not. */
  fetch(key: Key): void {
    if (this.asked.has(key)) return;
    const come = (piece: Piece): void => {
      this.asked.delete(key);
      this.take(key, piece);
    };
    const failed = (problem: string): void => {
      this.asked.delete(key);
      this.problem.value = problem;
    };
    this.asked.set(
      key,
      request((given) => this.ask(key, given), come, failed),
    );
  }

  /** Gives up all that was asked for. */
  close(): void {
    for (const giveUp of this.asked.values()) giveUp();
    this.asked.clear();
  }

  private take(key: Key, piece: Piece): void {
    this.kept.delete(key);
    this.stale.delete(key);
    if (this.took(key, piece)) this.kept.set(key, piece);
    for (const old of this.kept.keys()) {
      if (this.kept.size <= this.most) break;
      if (!this.wanted.has(old)) this.kept.delete(old);
    }
    this.problem.value = '';
    this.version.value += 1;
  }
}
