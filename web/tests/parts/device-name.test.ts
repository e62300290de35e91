import { describe, expect, it } from 'vitest';
import { deviceName } from '../../src/parts/device-name';

describe('the name of a device', () => {
  it('is short on one machine, and names the task on several', () => {
    expect(deviceName('/job:localhost/replica:0/task:0/device:CPU:0')).toBe('CPU:0');
    expect(deviceName('/job:worker/replica:0/task:3/device:GPU:1')).toBe('worker 3 GPU:1');
    expect(deviceName('elsewhere')).toBe('elsewhere');
    expect(deviceName('')).toBe('');
  });
});
