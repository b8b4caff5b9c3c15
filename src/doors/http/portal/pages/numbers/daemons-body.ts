// The page about the daemons: which ones are running, their queue, failed tasks, and the free disk space.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { InstallationView } from '../../../../../people/portal-users/installation.ts';
import { badge, count, definitions, emptyState, table, time } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';

export async function daemonsBody({ texts, language }: PortalCall, installation: InstallationView): Promise<Html> {
	const words = texts.numbers.installation.daemons;
	const { daemons, queue, failedTasks, disk } = await installation.daemons();
	const number = (value: number) => count(value, language);
	const listed =
		daemons.length === 0
			? emptyState(words.none)
			: table({
					caption: words.caption,
					head: [words.daemon, words.version, words.lastSign, words.state, words.jobs, words.lease],
					rows: daemons.map(({ id, version, seenMs, isRunning, jobs, leaseUntilMs }) => [
						...[id, version ?? '–', seenMs === undefined ? '–' : time(seenMs, language)],
						badge(isRunning ? 'good' : 'bad', isRunning ? words.runs : words.gone),
						...[number(jobs), leaseUntilMs === undefined ? '–' : time(leaseUntilMs, language)],
					]),
				});
	const failed =
		failedTasks.length === 0
			? html`<p>${words.noneFailed}</p>
`
			: table({
					caption: words.failedTasks,
					head: [words.task, words.at],
					rows: failedTasks.map(({ task, atMs }) => [task, time(atMs, language)]),
				});
	const free = words.free.replace('{free}', bytes(disk.free, language)).replace('{total}', bytes(disk.total, language));
	return html`${listed}<h2>${words.queue}</h2>
${definitions([
	[words.waiting, number(queue.waiting)],
	[words.jobs, number(queue.running)],
	[words.oldest, `${number(Math.round(queue.oldestSeconds))} s`],
	[words.disk, free],
])}<h2>${words.failedTasks}</h2>
${failed}`;
}

function bytes(value: number, language: string): string {
	const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 });
	return format.format(value / 1e9);
}
