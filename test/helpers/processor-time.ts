/** Milliseconds of processor time that `work` took: other processes on the machine do not count. */
export function processorTime(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
