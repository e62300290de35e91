import { expect, it } from 'vitest';
import type { Finding } from '../../../src/api/types';
import { markdown, whereabouts } from '../../../src/panels/headline/markdown';

const FINDING = {
  title: 'Log made 1 × -inf',
  cause: 'log_of_zero',
  explanation: 'probs:0: 1 of its 10 elements is 0; log(0) is -inf.',
  suggestion: 'Use `log_softmax`.',
  source: { file: '/home/me/train.py', line: 53, function: 'loss', text: '    return tf.math.log(probs)', user: true },
  function: 'train_step',
  step: 3,
  iteration: null,
} as unknown as Finding;

it('a finding is told where it is', () => {
  expect(whereabouts(FINDING)).toBe('train.py:53, train_step(), step 3');
  expect(whereabouts({ ...FINDING, source: null, function: '', step: null, iteration: 2 })).toBe('iteration 2');
});

it('a finding as Markdown has its line, its fix and the link', () => {
  expect(markdown(FINDING, 'http://127.0.0.1:8000/t/#finding=0')).toBe(
    [
      '**Log made 1 × -inf** (train.py:53, train_step(), step 3)',
      '`log_of_zero`: probs:0: 1 of its 10 elements is 0; log(0) is -inf.',
      '```python\nreturn tf.math.log(probs)\n```',
      '**Fix:** Use `log_softmax`.',
      '[In tensordbg](http://127.0.0.1:8000/t/#finding=0)\n',
    ].join('\n\n'),
  );
});

it('what is not known, and a link to a file, are left out', () => {
  const bare = { ...FINDING, source: null, suggestion: '', function: '', step: null };
  expect(markdown(bare, 'file:///tmp/report.html')).toBe(
    '**Log made 1 × -inf**\n\n`log_of_zero`: probs:0: 1 of its 10 elements is 0; log(0) is -inf.\n',
  );
});
