import {
	type CommandContext,
	EXIT,
	readOptionBytes,
	readOptionFile,
	table,
	UsageError,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { ProfileDirection } from '../../work/relay/profiles/profile.ts';
import type { Trial, TriedCard } from '../../work/relay/profiles/profile-trial.ts';
import { openAccount, showRemoved } from '../open-account.ts';

interface Options {
	readonly userId?: string;
	readonly name?: string;
	readonly file?: string;
	readonly preset?: boolean;
	readonly body?: string;
	readonly contentType?: string;
}

/** A profile says where cards are in the bodies of calls to third parties. */
export function register(program: FramedCommand): void {
	const profile = program.subcommand('profile', 'where cards stand in the bodies of calls to third parties');

	profile
		.ofAccount('put', 'save a profile in place of the one of its name')
		.requiredOption('--file <file>', 'YAML or JSON; - for standard input')
		.run<Options>(put);
	profile.ofAccount('list', 'the profiles, by name').run<Options>(list);
	profile
		.ofAccount('show', 'a profile, with stars for its secrets')
		.requiredOption('--name <name>', 'its name, letter for letter')
		.run<Options>(show);
	profile
		.ofAccount('remove', 'calls can no longer use it')
		.requiredOption('--name <name>', 'its name, letter for letter')
		.run<Options>(remove);
	profile
		.subcommand('test', 'show, masked, what a profile finds in a body; nothing is sent or stored')
		.option('--user-id <id>', 'the account, with --name')
		.option('--name <name>', 'a profile of the account')
		.option('--file <file>', 'a profile that is not saved: YAML or JSON; - for standard input')
		.option('--preset', 'the file is a preset')
		.requiredOption('--body <file>', 'an example of the body')
		.option('--content-type <type>', 'what the call would say of it; the one in the profile when absent')
		.run<Options>(test);
}

async function openScope(context: CommandContext, userId: string) {
	const { loadPresets } = await import('../../work/relay/profiles/presets.ts');
	const { openProfiles } = await import('../../work/relay/profiles/profiles.ts');
	const { environment, relay } = context.settings;
	const parts = await openAccount(context, userId);
	const presets = loadPresets(relay.presetsDir, environment);
	return { ...parts, ownerId: parts.owner.accountId, profiles: openProfiles({ ...parts, environment, presets }) };
}

async function put(context: CommandContext, { userId, file }: Options): Promise<void> {
	const text = await readOptionFile('--file', file!);
	const { profiles, ownerId, audit, actor } = await openScope(context, userId!);
	const subject = `account ${userId}`;
	const { profile, version } = await profiles.put(ownerId, text, (transaction, { profile: { name }, version }) =>
		audit.record({ actor, action: 'profile.put', subject, details: { name, version } }, transaction),
	);
	const { name } = profile;
	context.output.show({ userId, name, version }, `Profile ${name} of ${userId} is saved, version ${version}.`);
}

async function list(context: CommandContext, { userId }: Options): Promise<void> {
	const { profiles, ownerId } = await openScope(context, userId!);
	const stored = await profiles.list(ownerId);
	const rows = stored.map((entry) => ({
		name: entry.profile.name,
		direction: entry.profile.direction,
		body: entry.profile.body,
		target: entry.profile.targetUri ?? (entry.profile.hosts.join(', ') || null),
		version: entry.version,
		updatedAt: entry.updatedAt.toISOString(),
	}));
	const headings = ['name', 'direction', 'body', 'target', 'version', 'updated'];
	context.output.show(rows, rows.length === 0 ? 'None.' : table(headings, rows.map(Object.values)));
}

async function show(context: CommandContext, { userId, name }: Options): Promise<void> {
	const { profiles, ownerId } = await openScope(context, userId!);
	const stored = await profiles.findStored(ownerId, name!);
	if (stored === undefined) throw new Error('the account has no profile of this name');
	const { profileYaml } = await import('../../work/relay/profiles/profile-yaml.ts');
	const { profile, version, createdAt, updatedAt } = stored;
	context.output.show({ userId, version, createdAt, updatedAt, profile }, profileYaml(profile));
}

async function remove(context: CommandContext, { userId, name }: Options): Promise<void> {
	const { profiles, ownerId, audit, actor } = await openScope(context, userId!);
	const entry = { actor, action: 'profile.remove', subject: `account ${userId}`, details: { name: name! } };
	const removed = await profiles.remove(ownerId, name!, (transaction) => audit.record(entry, transaction));
	showRemoved(context, { userId, name }, removed, 'There was none of this name.');
}

async function test(context: CommandContext, options: Options): Promise<void> {
	const profile = await profileToTry(context, options);
	const body = await readOptionBytes('--body', options.body!);
	const { tryProfile } = await import('../../work/relay/profiles/profile-trial.ts');
	const { systemClock } = await import('../../base/clock.ts');
	const trial = tryProfile(profile, { body, contentType: options.contentType, now: systemClock.now() });
	if (trial.cards.length + trial.placeholders.length === 0) context.exitCode = EXIT.failed;
	context.output.show({ profile: profile.name, ...trial }, trialText(trial, profile.direction));
}

async function profileToTry(context: CommandContext, { userId, name, file, preset }: Options) {
	if ((name === undefined) === (file === undefined)) throw new UsageError('give --name or --file');
	if (file !== undefined) {
		const { parseReadyProfile } = await import('../../work/relay/profiles/profile-document.ts');
		const text = await readOptionFile('--file', file);
		return parseReadyProfile(text, { environment: context.settings.environment, isPreset: preset });
	}
	if (userId === undefined) throw new UsageError('--name needs --user-id');
	const { profiles, ownerId } = await openScope(context, userId);
	const found = await profiles.find(ownerId, name!);
	if (found === undefined) throw new Error('the account has no profile of this name');
	const { compileSelectors } = await import('../../work/relay/selectors/selectors.ts');
	return { ...found, selectors: compileSelectors(found) };
}

function trialText({ cards, placeholders, selectors, unused }: Trial, direction: ProfileDirection): string {
	if (placeholders.length > 0) {
		const rows = placeholders.map(({ line, offset, placeholder }) => [line, offset, `{{${placeholder}}}`]);
		const raw = placeholders.filter(({ isRaw }) => isRaw).map(({ offset }) => offset);
		const remark = `The content type has no rule for names, so nameOnCard goes out as it is: offset ${raw.join(', ')}`;
		return [table(['line', 'offset', 'placeholder'], rows), ...(raw.length > 0 ? ['', remark] : [])].join('\n');
	}
	const headings = ['line', 'offset', 'number', 'brand', 'Luhn', 'expiry', 'name', 'CVV', 'type', 'verdict'];
	const found =
		cards.length === 0
			? 'No card is found.'
			: table(
					headings,
					cards.map((card) => rowOf(card, direction)),
				);
	const remarks = selectors
		.filter(({ remark }) => remark !== null)
		.map(({ pointer, remark }) => `${pointer}: ${remark}`);
	const rest = unused.map(({ line, offset, name, looksLike, by }) => [line, offset, name, looksLike, by]);
	const left =
		unused.length === 0 ? [] : ['', 'Not used:', table(['line', 'offset', 'name', 'looks like', 'by'], rest)];
	return [found, ...(remarks.length > 0 ? ['', ...remarks] : []), ...left].join('\n');
}

function rowOf(card: TriedCard, direction: ProfileDirection) {
	const { line, offset, content, number, brand, passesLuhn, expiry, parts } = card;
	const yesNo = (isSo: boolean) => (isSo ? 'yes' : 'no');
	return [
		...[line, offset, number ?? `(${content})`, brand, passesLuhn === null ? null : yesNo(passesLuhn), expiry],
		...[yesNo(parts.includes('nameOnCard')), yesNo(parts.includes('securityCode')), yesNo(parts.includes('type'))],
		direction === 'replace' ? 'replaced' : verdictOf(card),
	];
}

function verdictOf({ content, refusal, warnings }: TriedCard): string {
	return refusal ?? (content === 'number' ? ['tokenized', ...warnings].join('; ') : 'left as it is');
}
