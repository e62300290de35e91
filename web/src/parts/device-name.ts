/** `CPU:0` of `/job:localhost/replica:0/task:0/device:CPU:0`; the task too where it is not the only one. */
export function deviceName(device: string): string {
  const name = device.match(/device:(.+)$/i)?.[1] ?? device;
  const task = device.match(/\/job:(?!localhost)(\w+).*\/task:(\d+)/);
  return task ? `${task[1]} ${task[2]} ${name}` : name;
}
