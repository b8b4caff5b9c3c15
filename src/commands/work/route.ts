import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { StoredRoute } from '../../work/routes/routes.ts';
import { showRemoved } from '../open-account.ts';
import { openRouteParts } from './route-parts.ts';
import { registerRuns } from './route-runs.ts';

interface RouteOptions {
	readonly userId: string;
	readonly name: string;
	readonly file: string;
}

export function register(program: FramedCommand): void {
	const group = program.subcommand('route', 'files that are fetched, processed and delivered by themselves');
	const named = (name: string, description: string) =>
		group.ofAccount(name, description).requiredOption('--name <name>', 'the route');

	group
		.ofAccount('put', 'save a route in place of the one of its name, whose ledger and history it keeps')
		.requiredOption('--file <file>', 'the document in YAML or JSON (docs/routes.md); - is standard input')
		.run<RouteOptions>(async (context, options) => {
			const { routes, owner, actor } = await openRouteParts(context, options);
			const { readRouteText } = await import('../../installation/opening/route-text.ts');
			const text = await readRouteText(context.invocation, options.file);
			const stored = await routes.put(owner, await routes.read(owner, text), actor);
			context.output.show(
				await shown(stored),
				`Route ${stored.row.name} of ${owner.userId} is set. ${nextText(stored)}`,
			);
		});
	group.ofAccount('list', 'the routes, by name').run<RouteOptions>(async (context, options) => {
		const { routes, owner } = await openRouteParts(context, options);
		const list = (await routes.list(owner.accountId)).map(({ listed }) => listed);
		const cells = list.map((each) => [
			...[each.name, each.state, each.nextRunAt ?? '-', each.timeZone],
			...[each.lastRunAt ?? '-', each.lastOutcome ?? '-'],
		]);
		context.output.show(list, table(['name', 'state', 'next run', 'time zone', 'last run', 'outcome'], cells));
	});
	named('show', 'one route: its document with every default, and its state').run<RouteOptions>(
		async (context, options) => {
			const { routes, owner } = await openRouteParts(context, options);
			const value = await shown(await routes.get(owner.accountId, options.name));
			context.output.show(value, JSON.stringify(value, null, 2));
		},
	);
	named('remove', 'forget a route with its ledger and history').run<RouteOptions>(async (context, options) => {
		const { routes, owner, actor } = await openRouteParts(context, options);
		const removed = await routes.remove(owner, options.name, actor);
		showRemoved(context, { userId: owner.userId, name: options.name }, removed, 'There was none of this name.');
	});
	named('pause', 'keep a route from running by its times').run<RouteOptions>(async (context, options) => {
		const { routes, owner, actor } = await openRouteParts(context, options);
		const { listed } = await routes.pause(owner, options.name, actor);
		context.output.show(listed, `Route ${listed.name} is paused.`);
	});
	named('resume', 'let a paused or stopped route run again').run<RouteOptions>(async (context, options) => {
		const { routes, owner, actor } = await openRouteParts(context, options);
		const stored = await routes.resume(owner, options.name, actor);
		context.output.show(stored.listed, `Route ${stored.listed.name} goes on. ${nextText(stored)}`);
	});
	registerRuns(group);
}

async function shown({ route, row, listed }: StoredRoute) {
	const { routeDocument } = await import('../../work/routes/document/route-document.ts');
	const { stopped_reason: stoppedBecause } = row;
	return {
		...listed,
		...(stoppedBecause !== null && { stoppedBecause }),
		document: { ...routeDocument(route), paused: Boolean(row.paused) },
	};
}

function nextText({ listed, route }: StoredRoute): string {
	if (listed.state === 'paused') return 'It is paused.';
	if (listed.nextRunAt !== null) return `It runs next at ${listed.nextRunAt}.`;
	return route.when ? 'It runs when files come.' : 'It runs by hand.';
}
