/** The title of the document: what is looked at, so that tabs and bookmarks tell one from another. */
import { effect } from '@preact/signals';
import { chosenFinding } from './choose';
import { chosen, overview, place } from './store';

/** Keeps the title with the place from now on. */
export function keepTitle(): void {
  effect(() => {
    const program = overview.value?.program.split('/').at(-1);
    const event = chosen.value?.row.event === place.value.event ? chosen.value?.row : undefined;
    const what = chosenFinding.value?.event?.event === event?.event ? chosenFinding.value?.title : undefined;
    document.title = [what ?? (event && `${event.tensor} #${event.event}`), program, 'tensordbg']
      .filter(Boolean)
      .join(' – ');
  });
}
