/** What a small saved page holds. */
import type { SavedContent, SavedProcess } from '../../src/api/content';
import type { EventRow, HealthView } from '../../src/api/types';

export const HERE = { run: '', process: '' };
export const OTHER = { run: '', process: 'worker 1' };

const FINE: HealthView = {
  size: 4,
  negative: 0,
  zero: 1,
  positive: 3,
  neg_inf: 0,
  pos_inf: 0,
  nan: 0,
  subnormal: 0,
  min: 0,
  max: 1,
  mean: 0.5,
  std: 0.1,
};

export function row(event: number, tensor: string, health: Partial<HealthView> | null): EventRow {
  return {
    event,
    tensor,
    op_type: tensor.startsWith('Log') ? 'Log' : 'Softmax',
    function: 'train_step',
    function_title: 'train_step',
    execution: 2,
    step: event,
    iteration: null,
    iterations: [],
    path: '',
    device: '',
    dtype: 'float32',
    shape: [2, 2],
    health: health && { ...FINE, ...health },
    file: '/home/me/train.py',
    line: 4,
    kept: false,
    text: '',
    layer: tensor.startsWith('loss/') ? 'loss' : '',
  };
}

const PROBS = row(3, 'probs:0', { max: 5 });
const LOG = row(7, 'Log:0', { neg_inf: 1, max: 2 });
const NEXT = row(9, 'unmeasured:0', null);

function lane(executions: readonly (readonly [number, number, number])[]) {
  return {
    lane: 0,
    label: 'main',
    thread: 1,
    device: '',
    executions: executions.length,
    bins: [],
    spans: executions.map(([execution, begin_ns, end_ns]) => ({
      execution,
      begin_ns,
      end_ns,
      name: 'train_step',
      step: 0,
      eager: false,
      events: 1,
      non_finite: 0,
      failed: false,
    })),
  };
}

const EMPTY: SavedProcess = {
  process: 'worker 1',
  live: { revision: 5, tensor_events: 0, executions: 0, rate: 0, running: false },
  rows: [],
  events: [],
  executions: [],
  progresss: [],
  tensors: [],
  histograms: [],
  values: [],
  wholes: [],
  graphs: [],
  files: { files: [] },
  sources: [],
  timeline: null,
};

const FULL: SavedProcess = {
  ...EMPTY,
  process: 'worker 0',
  rows: [PROBS, LOG, NEXT],
  events: [
    {
      event: 7,
      op_name: 'Log',
      slot: 0,
      outputs: 1,
      time_ns: 10,
      thread: 1,
      asked: '',
      first_bad_index: [0, 1],
      attributes: '{}',
      inputs: [{ slot: 0, tensor: 'probs:0', op_type: 'Softmax', row: 3, stated: '', elements: '' }],
      consumers: [{ slot: 0, tensor: 'lost', op_type: 'Neg', row: null, stated: '', elements: '' }],
      consumers_total: 1,
      source: null,
      stack: 0,
      notes: [],
      finding: 0,
      came_from: [],
    },
  ],
  values: [
    {
      event: 7,
      dtype: 'float32',
      shape: [2, 2],
      slice: '[:, :]',
      slice_shape: [2, 2],
      row_offset: 0,
      column_offset: 0,
      rows_total: 2,
      columns_total: 2,
      rows: [
        [1, 2],
        [3, 4],
      ],
      min: 1,
      max: 4,
    },
  ],
  wholes: [],
  graphs: [
    {
      event: 7,
      hops: 1,
      view: { function: 'train_step', centre: 'Log', operations: 3, nodes: [], edges: [] },
    },
  ],
  timeline: {
    revision: 5,
    begin_ns: 0,
    end_ns: 40,
    first_ns: 0,
    last_ns: 40,
    executions: 2,
    lanes: [
      lane([
        [1, 0, 10],
        [2, 15, 35],
      ]),
    ],
  },
};

export const CONTENT: SavedContent = {
  runs: { folder: '', runs: [] },
  overview: {
    run: '',
    path: '/home/me/tdbg-traces/a',
    program: 'train',
    command: ['python', 'train.py'],
    host: 'here',
    python: '3.11',
    frameworks: ['tensorflow 2.21.0'],
    detail: 'values',
    created_ns: 0,
    processes: [],
    notes: [],
    editor: '',
  },
  findings: {
    revision: 5,
    status: 'non_finite',
    summary: '',
    tensor_events: 3,
    non_finite_events: 1,
    findings: [],
  },
  lines: [{ file: '/home/me/train.py', line: 4, function: 'loss', user: true, text: 'tf.math.log(probs)' }],
  stacks: [[0]],
  processes: [FULL, EMPTY],
};
