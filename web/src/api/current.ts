/** Who answers this page: the server that it came from, or what was saved in it. */
import type { Answers } from './answers';
import { httpAnswers } from './http';

export const answers: Answers = httpAnswers;
