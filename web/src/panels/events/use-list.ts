/** The list of events that the table shows: that of the place, once its first rows are there; until then the former. */
import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { EventList, Where } from '../../api/answers';
import { answers } from '../../api/current';
import { list, live, where } from '../../state/store';
import { EventPages } from './pages';

export interface ShownList {
  readonly where: Where;
  readonly list: EventList;
  readonly pages: EventPages;
}

export interface UsedList {
  /** Undefined until anything was answered. */
  readonly shown: ShownList | undefined;
  /** Why the list of the place can't be shown: a mistake in the search, mostly. */
  readonly problem: string;
  readonly busy: boolean;
}

export function useList(): UsedList {
  const [asked, setAsked] = useState<ShownList>();
  const [shown, setShown] = useState<ShownList>();
  const [whose, wanted] = [where.value, list.value];

  useEffect(() => {
    const inOrder = wanted.order === 'event' && !wanted.descending;
    const pages = new EventPages((begin, count, given) => answers.events(whose, wanted, begin, count, given), inOrder);
    const now = { where: whose, list: wanted, pages };
    setAsked(now);
    pages.want(0, 0);
    const stop = effect(() => {
      if (pages.total.value !== undefined) setShown(now);
    });
    return () => {
      stop();
      pages.close();
    };
  }, [whose, wanted]);

  const revision = live.value?.revision;
  useEffect(() => {
    if (revision !== undefined) asked?.pages.renew();
  }, [revision, asked]);

  return {
    shown,
    problem: asked?.pages.problem.value ?? '',
    busy: asked !== shown && !asked?.pages.problem.value,
  };
}
