import { type CommandContext, EXIT, table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { EndpointWithSecret, StoredEndpoint } from '../../work/events/endpoints.ts';
import type { ShownEvent } from '../../work/events/history.ts';
import { openAccount, showRemoved } from '../open-account.ts';

interface EventOptions {
	readonly userId: string;
	readonly name: string;
	readonly url: string;
	readonly types?: string;
	readonly signature?: string;
	readonly to: string;
}

interface HistoryOptions {
	readonly userId: string;
	readonly id: string;
	readonly name?: string;
	readonly type?: string;
	readonly from?: string;
	readonly to?: string;
	readonly limit?: string;
}

const DEFAULT_LIMIT = 100;
const MOST = 1_000;

/** Registers `event endpoint put|list|remove|pause|resume|test|rotate`, `event mail put` and `event list|show|replay`. */
export function register(program: FramedCommand): void {
	const group = program.subcommand('event', 'what happens is told to receivers over HTTP, and by mail');
	registerEndpoints(group);
	registerHistory(group);
}

function registerEndpoints(group: FramedCommand): void {
	const endpoints = group.subcommand('endpoint', 'receivers that are called');
	const named = (name: string, description: string) =>
		endpoints.ofAccount(name, description).requiredOption('--name <name>', 'the endpoint');

	named('put', 'save an endpoint in place of the one of its name, and show its new secret, once')
		.requiredOption('--url <url>', 'what is called')
		.option('--types <types>', 'the types of events, separated by commas; without it, all')
		.option('--signature <kind>', 'v1 (a shared secret) or v1a (Ed25519)', 'v1')
		.run<EventOptions>(async (context, { userId, name, url, types, signature }) => {
			if (signature !== 'v1' && signature !== 'v1a') throw new UsageError('--signature must be v1 or v1a');
			const { endpoints, owner, actor } = await openEventsOf(context, userId);
			const plan = { name, url, types: listOf(types), signature } as const;
			showSecret(context, await endpoints.put(owner, plan, actor), 'is set');
		});
	endpoints.ofAccount('list', 'the endpoints and mailboxes, by name').run<EventOptions>(async (context, { userId }) => {
		const { endpoints, owner } = await openEventsOf(context, userId);
		const list = await endpoints.list(owner.accountId);
		const cells = list.map(({ name, target, types, state, failure }) => [
			...[name, target, types?.join(',') ?? 'all', failure === null ? state : `${state}: ${failure.reason}`],
		]);
		context.output.show(list.map(shown), table(['name', 'target', 'types', 'state'], cells));
	});
	named(
		'remove',
		'forget an endpoint, and give up what waits for it; a mailbox is named mailto:ADDRESS',
	).run<EventOptions>(async (context, { userId, name }) => {
		const { endpoints, owner, actor } = await openEventsOf(context, userId);
		const removed = await endpoints.remove(owner, name, actor);
		showRemoved(context, { userId, name }, removed, 'There was none of this name.');
	});
	named('pause', 'let events wait for an endpoint until it is resumed').run<EventOptions>(
		async (context, { userId, name }) => {
			const { endpoints, owner, actor } = await openEventsOf(context, userId);
			context.output.show(shown(await endpoints.pause(owner, name, actor)), `${name} is paused. Its events wait.`);
		},
	);
	named('resume', 'deliver to an endpoint again that was paused, also what waits').run<EventOptions>(
		async (context, { userId, name }) => {
			const { endpoints, owner, actor } = await openEventsOf(context, userId);
			context.output.show(shown(await endpoints.resume(owner, name, actor)), `${name} goes on.`);
		},
	);
	named('test', 'send an example to an endpoint now, once').run<EventOptions>(async (context, { userId, name }) => {
		const { openOutboundClient } = await import('../../base/outbound/http-client.ts');
		const { shownTest, testEndpoint } = await import('../../work/events/test-endpoint.ts');
		const { endpoints, owner, clock } = await openEventsOf(context, userId);
		const outbound = context.opened('calls to third parties', openOutboundClient(context.settings.relay));
		const result = shownTest(await testEndpoint({ endpoints, outbound, clock }, owner, name));
		context.output.show(result, result.received ? `Received: ${result.status}.` : `Not received: ${result.reason}.`);
		if (!result.received) context.exitCode = EXIT.failed;
	});
	named('rotate', 'give an endpoint a new secret and show it, once; the former signs too for a day').run<EventOptions>(
		async (context, { userId, name }) => {
			const { endpoints, owner, actor } = await openEventsOf(context, userId);
			showSecret(context, await endpoints.rotate(owner, name, actor), 'has a new secret');
		},
	);
	group
		.subcommand('mail', 'mailboxes that are told')
		.ofAccount('put', 'tell a mailbox of events; event endpoint remove --name mailto:ADDRESS ends that')
		.requiredOption('--to <address>', 'the mailbox')
		.requiredOption('--types <types>', 'the types of events, separated by commas')
		.run<EventOptions>(async (context, { userId, to, types }) => {
			const { endpoints, owner, actor } = await openEventsOf(context, userId);
			const stored = await endpoints.putMail(owner, { to, types: listOf(types) }, actor);
			const hint = context.settings.mail.host === null ? ' No mail server is set, so no mail is sent yet.' : '';
			context.output.show(shown(stored), `${to} is told of ${stored.types?.join(', ')}.${hint}`);
		});
}

function registerHistory(group: FramedCommand): void {
	const ranged = (name: string, description: string) =>
		group
			.ofAccount(name, description)
			.option('--from <time>', 'from this time on, such as 2026-05-31 or 2026-05-31T06:00Z')
			.option('--to <time>', 'before this time');

	ranged('list', 'the events of the last thirty days, youngest first')
		.option('--type <type>', 'only of this type')
		.option('--limit <n>', 'at most so many', String(DEFAULT_LIMIT))
		.run<HistoryOptions>(async (context, { userId, type, from, to, limit }) => {
			const range = { ...(await rangeOf(from, to)), type, limit: limitOf(limit) };
			const { listEvents } = await import('../../work/events/history.ts');
			const { database, owner } = await openEventsOf(context, userId);
			const list = await listEvents(database, owner.accountId, range);
			const cells = list.map((event) => [event.timestamp, event.id, event.type, stateOf(event)]);
			context.output.show(list, table(['time', 'id', 'type', 'deliveries'], cells));
		});
	group
		.ofAccount('show', 'one event with its deliveries')
		.requiredOption('--id <id>', 'the event')
		.run<HistoryOptions>(async (context, { userId, id }) => {
			const { findEvent } = await import('../../work/events/history.ts');
			const { database, owner } = await openEventsOf(context, userId);
			const event = await findEvent(database, owner.accountId, id);
			if (!event) throw new UsageError('--id: the account has no such event');
			context.output.show(event, JSON.stringify(event, null, 2));
		});
	ranged('replay', 'deliver events again, under the ids that they have')
		.option('--name <name>', 'only to this endpoint')
		.option('--id <id>', 'only this event')
		.run<HistoryOptions>(async (context, { userId, name, id, from, to }) => {
			if (id === undefined && from === undefined) throw new UsageError('--from or --id must be given');
			const { replayEvents } = await import('../../work/events/history.ts');
			const plan = { ...(await rangeOf(from, to)), endpoint: name, id };
			const { owner, actor, ...parts } = await openEventsOf(context, userId);
			const deliveries = await replayEvents(parts, owner, plan, actor);
			context.output.show({ userId, deliveries }, `${deliveries} deliveries wait.`);
		});
}

async function openEventsOf(context: CommandContext, userId: string) {
	const { systemClock: clock } = await import('../../base/clock.ts');
	const { openEventEndpoints } = await import('../../work/events/endpoints.ts');
	const parts = await openAccount(context, userId);
	return { ...parts, clock, endpoints: openEventEndpoints({ ...parts, clock }) };
}

function showSecret({ output }: CommandContext, { endpoint, secret }: EndpointWithSecret, what: string): void {
	const text = `Endpoint ${endpoint.name} ${what}. What its receiver checks signatures with, shown once: ${secret.reveal()}`;
	output.show({ ...shown(endpoint), secret: secret.reveal() }, text);
}

function shown({ failure, createdAt, updatedAt, ...endpoint }: StoredEndpoint) {
	return { ...endpoint, reason: failure?.reason ?? null, createdAt, updatedAt };
}

function stateOf({ deliveries }: ShownEvent): string {
	const texts = deliveries.map(
		({ endpoint, state, tries }) => `${endpoint ?? 'removed'}: ${state} after ${tries} tries`,
	);
	return texts.join('; ') || '-';
}

function listOf(types: string | undefined): string[] | undefined {
	return types?.split(',').map((type) => type.trim());
}

async function rangeOf(from: string | undefined, to: string | undefined) {
	const { parseEventTime } = await import('../../work/events/history.ts');
	const timeOf = (option: string, text: string | undefined): number | undefined => {
		const ms = text === undefined ? undefined : parseEventTime(text);
		if (text === undefined || ms !== undefined) return ms;
		throw new UsageError(`${option} must be a day (UTC) or a time with its zone: 2026-05-31T06:00Z`);
	};
	return { fromMs: timeOf('--from', from), toMs: timeOf('--to', to) };
}

function limitOf(text: string | undefined): number {
	const limit = Number(text ?? DEFAULT_LIMIT);
	if (Number.isInteger(limit) && limit >= 1 && limit <= MOST) return limit;
	throw new UsageError(`--limit must be a whole number from 1 to ${MOST}`);
}
