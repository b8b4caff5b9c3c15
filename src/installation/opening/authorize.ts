// Finds out who runs a command, and whether they may. Every command that opens the installation is checked here first.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { maskCardNumbers } from '../../base/log/card-numbers.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import { apiKeyStore } from '../../people/identity/credentials/api-key-store.ts';
import { type Approvals, type AskedCommand, openApprovals } from '../../people/operators/approvals.ts';
import { OperatorError } from '../../people/operators/operator-error.ts';
import { countCovering, type Operator, type Operators, openOperators } from '../../people/operators/operators.ts';
import { type Proofs, requireProof } from '../../people/operators/proof.ts';
import { type CommandRule, covers, type GivenOptions, type Role, ruleOf } from '../../people/operators/roles.ts';
import { agentSigner, keySigner } from '../../people/operators/signers.ts';
import type { Audit } from '../../trail/audit.ts';
import { CommandOver, readOptionFile, STANDARD_INPUT, UsageError } from '../frame/command.ts';
import { type Invocation, systemUser } from '../frame/invocation.ts';
import type { Output } from '../frame/output.ts';
import { readRouteText } from './route-text.ts';

export type Authorization = Awaited<ReturnType<typeof authorize>>;

interface Asked {
	readonly invocation: Invocation;
	readonly output: Output;
	/** Called before the approval of a second operator is used. The approval stays if this function throws. */
	beforeApproval(): Promise<void>;
}

/**
 * Checks that the command may run. Without operators everybody may do everything, and the user of the operating system
 * is recorded. @throws OperatorError, UsageError
 */
export async function authorize(parts: { database: Database; keyRing: KeyRing; audit: Audit }, asked: Asked) {
	const { invocation } = asked;
	const operators = openOperators(parts);
	const approvals = openApprovals(parts);
	const rule = ruleOf(invocation.command);
	// There is no operator while there are none, and for commands that require none.
	const nobody = { operators, approvals, operator: undefined, actor: `operator ${systemUser()}` };
	if (rule.role === 'anyone') return nobody;
	const standing = await operators.standing().catch((error) => {
		if (rule.isOpenWhenAltered && error instanceof OperatorError) return undefined;
		throw error;
	});
	if (!standing) return nobody;
	if (standing.length === 0) {
		if (invocation.isRequest) throw new UsageError('--request: there are no operators, so nobody has to approve');
		return nobody;
	}
	let operator: Operator;
	try {
		operator = await identify(standing, invocation, operators);
		requireRole(operator, rule, invocation.command);
		const permissions = rule.handsOutKey ? await permissionsOfKeys(parts, invocation.options) : undefined;
		const route = rule.readsRoute ? { letsNumbersOut: await readsNumbersOut(invocation) } : undefined;
		const options = { ...invocation.options, ...(permissions !== undefined && { permissions }), ...route };
		await requireSecond({ ...asked, standing, operator, approvals, rule, options });
	} catch (error) {
		if (error instanceof OperatorError) await noteRefusal(parts, invocation, error);
		throw error;
	}
	await parts.audit.record({
		actor: `operator ${operator.name}`,
		action: 'command.run',
		subject: `command ${invocation.command}`,
		details: { key: operator.fingerprint, systemUser: systemUser() },
	});
	// The actor names the person for the audit trail, for example `operator alice`.
	return { operators, approvals, operator, actor: `operator ${operator.name}` };
}

/** Returns the permissions of the key that a command replaces: the chosen one, or all that could be meant. */
async function permissionsOfKeys({ database }: { database: Database }, { userId, id }: GivenOptions): Promise<string> {
	const account = await accountStore(database.knex).findByUserId(String(userId));
	const rows = account ? await apiKeyStore(database.knex).listByAccount(account.id) : [];
	return rows
		.filter((row) => row.revoked_at === null && (id === undefined || row.id === id))
		.map(({ permissions }) => permissions)
		.join(',');
}

/** Tells whether card numbers leave through the route in a file. One with faults, which the command refuses, counts as such. */
async function readsNumbersOut(invocation: Invocation): Promise<boolean> {
	const text = await readRouteText(invocation, String(invocation.options.file));
	const { parseRoute } = await import('../../work/routes/document/read-route.ts');
	const { letsNumbersOut } = await import('../../work/routes/document/route.ts');
	try {
		return letsNumbersOut(parseRoute(text));
	} catch {
		return true;
	}
}

async function identify(standing: readonly Operator[], invocation: Invocation, operators: Operators) {
	const { as, command } = invocation;
	if (as === undefined) {
		throw new OperatorError(
			'operator-required',
			'say who runs this: --as, or TOKENDROP_OPERATOR_NAME; see docs/operators.md',
		);
	}
	const operator = standing.find(({ name }) => name === as);
	if (!operator) throw new OperatorError('operator-refused', `there is no operator ${as}`);
	await requireProof(operator, command, proofsOf(invocation), operators.hasher);
	return operator;
}

function proofsOf({ tokenFile, identityFile, agentSocket }: Invocation): Proofs {
	const fromFile = identityFile && (async () => keySigner(await readOptionFile('--identity-file', identityFile)));
	const fromAgent = agentSocket && (async () => agentSigner(agentSocket));
	return {
		token: tokenFile === undefined ? undefined : async () => (await readOptionFile('--token-file', tokenFile)).trim(),
		signer: fromFile || fromAgent || undefined,
	};
}

function requireRole({ name, role }: Operator, rule: CommandRule, command: string): void {
	if (covers(role, rule.role)) return;
	throw new OperatorError('operator-refused', `${command} needs the role ${rule.role}; operator ${name} has ${role}`);
}

/**
 * If a command needs two people and a second operator could approve it, uses that operator's approval. With `--request`
 * it instead asks for the approval and ends the command.
 */
async function requireSecond(
	given: Asked & {
		readonly standing: readonly Operator[];
		readonly operator: Operator;
		readonly approvals: Approvals;
		readonly rule: CommandRule;
		/** The options of the command, with the permissions of the key that it hands out. */
		readonly options: GivenOptions;
	},
): Promise<void> {
	const { standing, operator, approvals, rule, options, invocation, output } = given;
	const isForTwo = rule.isForTwo?.(options) === true && countCovering(standing, rule.role) > 1;
	if (!isForTwo && !invocation.isRequest) return;
	if (!isForTwo) throw new UsageError('--request: this command needs no second operator');
	const asked = await askedCommand(invocation, rule.role as Role, rule.reads);
	if (!invocation.isRequest) {
		await given.beforeApproval();
		await approvals.use(asked, operator);
		return;
	}
	const { id, command, endsAt } = await approvals.request(asked, operator);
	const until = endsAt.toISOString();
	output.show(
		{ id, command, requestedBy: operator.name, endsAt: until },
		`Request ${id}, until ${until}: ${command}\nNothing is done yet. A second operator with the role ${asked.role} runs: tokendrop approve ${id}`,
	);
	throw new CommandOver();
}

async function noteRefusal({ audit }: { audit: Audit }, { as, command }: Invocation, error: OperatorError) {
	await audit.record({
		actor: `user ${systemUser()}`,
		action: 'command.refuse',
		subject: `command ${command}`,
		details: { as: as ?? null, reason: error.reason, message: error.message },
	});
}

/** Describes a command in the form that a second person approves, with the content of the files that it reads. */
async function askedCommand(invocation: Invocation, role: Role, reads: CommandRule['reads']): Promise<AskedCommand> {
	const { command, options, positional, folder } = invocation;
	const given = Object.entries(options)
		.filter(([, value]) => value !== undefined)
		.sort(([a], [b]) => (a < b ? -1 : 1));
	const paths = (reads?.(options, positional) ?? []).filter((path) => typeof path === 'string');
	const digests: string[] = [];
	if (paths.includes(STANDARD_INPUT))
		throw new UsageError('a second operator approves what is in a file: name one in place of -');
	for (const path of paths) digests.push(await digestOf(path));
	const canonical = JSON.stringify([command, given, positional, folder, digests]);
	const words = [command, ...given.flatMap(([name, value]) => optionWords(name, value)), ...positional.map(quoted)];
	// The hash is not hexadecimal, because one in a hundred would have enough digits to be masked in the trail as a card
	// number.
	const hash = createHash('sha256').update(canonical).digest('base64url');
	return { text: maskCardNumbers(`${words.join(' ')} (in ${folder})`), hash, role };
}

/** Returns the SHA-256 of a file, or `none` if it is not a regular file: a pipe, for example, cannot be read twice. */
async function digestOf(path: string): Promise<string> {
	const isFile = await stat(path).then(
		(found) => found.isFile(),
		() => false,
	);
	if (!isFile) return 'none';
	const hash = createHash('sha256');
	await pipeline(createReadStream(path), hash);
	return hash.digest('hex');
}

function optionWords(name: string, value: unknown): string[] {
	const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
	return value === true ? [option] : [option, quoted(String(value))];
}

function quoted(word: string): string {
	return /^[\w./:@,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
