/** Who answers this page: the server that it came from, or what was saved in it. */
import type { Answers } from './answers';
import { contentOf } from './content';
import { httpAnswers } from './http';
import { savedAnswers } from './saved';

// In unit tests there is no document.
const content = globalThis.document && contentOf(document);

export const answers: Answers = content ? savedAnswers(content) : httpAnswers;
