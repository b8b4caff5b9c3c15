/** Returns the milliseconds of processor time that `work` took, to which other processes on the machine add nothing. */
export function processorTime(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
