import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { openApprovals } from '../../src/people/operators/approvals.ts';
import { openOperators } from '../../src/people/operators/operators.ts';
import type { ROLES } from '../../src/people/operators/roles.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, MINUTE_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { makePlainPerson } from '../helpers/ssh-people.ts';

async function open(t: ExecutionContext, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	const operators = openOperators(parts);
	const approvals = openApprovals(parts);
	const entries = (action: string) => parts.database.knex('audit').where({ action }).orderBy('seq');
	const add = async (name: string, role: (typeof ROLES)[number]) =>
		(await operators.add({ name, role }, 'operator x')).operator;
	return { ...parts, operators, approvals, entries, add, knex: parts.database.knex };
}

const ALTERED = { name: 'OperatorError', message: /not those of the audit trail/ };
const asked = { text: 'file detokenize a b', hash: 'a'.repeat(64), role: 'operate' } as const;

for (const dialect of databases) {
	test(`the first operator has the role keys, and names are given once (${dialect})`, async (t) => {
		const { operators, add, entries } = await open(t, dialect);
		t.deepEqual(await operators.standing(), []);
		await t.throwsAsync(add('viewer', 'view'), { message: /first operator needs the role keys/ });
		await add('alice', 'keys');
		await add('bob', 'view');
		await t.throwsAsync(add('bob', 'view'), { message: /used before/ });
		for (const name of ['', 'Bob', '9', 'b b', 'a4111111111111111', `a${'b'.repeat(32)}`]) {
			await t.throwsAsync(add(name, 'view'), { message: /^Bad input data: name: / }, name);
		}
		await operators.remove('bob', 'operator alice');
		await t.throwsAsync(add('bob', 'view'), { message: /used before/ });
		await t.throwsAsync(operators.remove('bob', 'operator alice'), { message: /no operator bob/ });
		await t.throwsAsync(operators.remove('alice', 'operator alice'), { message: /last operator with the role keys/ });
		t.deepEqual(
			(await operators.standing()).map(({ name }) => name),
			['alice'],
		);
		t.is((await entries('operator.add')).length, 2);
		t.is((await entries('operator.remove')).length, 1);
		t.true((await operators.list()).some(({ name, removedAt }) => name === 'bob' && removedAt !== null));
	});

	test(`an SSH key is one person's (${dialect})`, async (t) => {
		const { operators, add } = await open(t, dialect);
		await add('alice', 'keys');
		const { publicKey: sshKey } = makePlainPerson(t);
		await operators.add({ name: 'bob', role: 'operate', sshKey }, 'operator alice');
		const twice = operators.add({ name: 'robert', role: 'operate', sshKey }, 'operator alice');
		await t.throwsAsync(twice, { message: /another operator/ });
		t.is((await operators.standing())[1].fingerprint, sshKey.fingerprint);
	});

	test(`recovery removes everybody, and roles are off until somebody is added (${dialect})`, async (t) => {
		const { operators, add, entries } = await open(t, dialect);
		await add('alice', 'keys');
		await add('bob', 'operate');
		t.is(await operators.recover('operator root'), 2);
		t.deepEqual(await operators.standing(), []);
		t.is(JSON.parse((await entries('operator.recover'))[0].details).removed, 2);
		await add('carol', 'keys');
		t.is((await operators.standing()).length, 1);
	});

	const tamperings: Record<string, (parts: Awaited<ReturnType<typeof open>>) => Promise<unknown>> = {
		'a role raised': ({ knex }) => knex('operators').where({ name: 'bob' }).update({ role: 'keys' }),
		'a token given to somebody else': async ({ knex }) => {
			const { token_hash } = await knex('operators').where({ name: 'bob' }).first();
			await knex('operators').where({ name: 'alice' }).update({ token_hash });
		},
		'a removed one put back': ({ knex }) => knex('operators').where({ name: 'gone' }).update({ removed_at: null }),
		'one added': ({ knex }) =>
			knex('operators').insert({ name: 'eve', role: 'keys', fingerprint: 'x', token_hash: 'x', created_at: 1 }),
		'everybody removed, which would switch roles off': ({ knex }) => knex('operators').delete(),
		'one added with an entry of the trail': async ({ knex }) => {
			const row = await knex('audit').where({ action: 'operator.add' }).first();
			const last = await knex('audit').max({ seq: 'seq' }).first();
			await knex('audit').insert({ ...row, seq: Number(last!.seq) + 1000, subject: 'operator eve' });
			const alice = await knex('operators').where({ name: 'alice' }).first();
			await knex('operators').insert({ ...alice, id: 99, name: 'eve' });
		},
		'a removed one put back with a copy of the entry': async ({ knex }) => {
			const row = await knex('audit').where({ action: 'operator.add', subject: 'operator gone' }).first();
			const last = await knex('audit').max({ seq: 'seq' }).first();
			await knex('audit').insert({ ...row, seq: Number(last!.seq) + 1000 });
			await knex('operators').where({ name: 'gone' }).update({ removed_at: null });
		},
		'the entry of a recovery made up': async ({ knex }) => {
			const row = await knex('audit').where({ action: 'operator.add' }).first();
			await knex('audit').where({ seq: row.seq }).update({ action: 'operator.recover' });
			await knex('operators').delete();
		},
	};
	for (const [name, tamper] of Object.entries(tamperings)) {
		test(`written into the database alone: ${name}; nobody runs anything (${dialect})`, async (t) => {
			const parts = await open(t, dialect);
			await parts.add('alice', 'keys');
			await parts.add('bob', 'view');
			await parts.add('gone', 'keys');
			await parts.operators.remove('gone', 'operator alice');
			await createAccount(parts, 'agency');
			t.is((await parts.operators.standing()).length, 2);
			await tamper(parts);
			await t.throwsAsync(parts.operators.standing(), ALTERED);
			await parts.operators.recover('operator root');
			t.deepEqual(await parts.operators.standing(), []);
			await parts.add('later', 'keys');
			t.is((await parts.operators.standing()).length, 1);
		});
	}

	test(`an approval is another person's, for one command, once, for ten minutes (${dialect})`, async (t) => {
		const { approvals, add, turn, entries } = await open(t, dialect);
		const [alice, bob, viewer] = [await add('alice', 'keys'), await add('bob', 'operate'), await add('viewer', 'view')];
		await t.throwsAsync(approvals.use(asked, bob), { message: /second operator has to approve/ });
		const { id } = await approvals.request(asked, bob);
		await t.throwsAsync(approvals.use(asked, bob), { message: /second operator has to approve/ });
		await t.throwsAsync(approvals.give(id, bob), { message: /their own/ });
		await t.throwsAsync(approvals.give(id, viewer), { message: /needs the role operate/ });
		await t.throwsAsync(approvals.give('000000000000', alice), { message: /no request/ });
		t.is((await approvals.give(id, alice)).approvedBy, 'alice');
		await t.throwsAsync(approvals.give(id, alice), { message: /approved already/ });
		await t.throwsAsync(approvals.use({ ...asked, hash: 'b'.repeat(64) }, bob), { message: /second operator/ });
		await t.throwsAsync(approvals.use(asked, alice), { message: /second operator/ });
		t.is((await approvals.list()).length, 1);
		const uses = await Promise.allSettled([approvals.use(asked, bob), approvals.use(asked, bob)]);
		t.is(uses.filter(({ status }) => status === 'fulfilled').length, 1);
		await t.throwsAsync(approvals.use(asked, bob), { message: /second operator/ });
		t.deepEqual(await approvals.list(), []);

		const late = await approvals.request(asked, bob);
		turn(10 * MINUTE_MS);
		await t.throwsAsync(approvals.give(late.id, alice), { message: /ten minutes are over/ });
		const unused = await approvals.request(asked, bob);
		await approvals.give(unused.id, alice);
		turn(10 * MINUTE_MS);
		await t.throwsAsync(approvals.use(asked, bob), { message: /second operator/ });
		t.deepEqual(
			(await entries('approval.give')).map(({ actor }) => actor),
			['operator alice', 'operator alice'],
		);
		t.like(JSON.parse((await entries('approval.use'))[0].details), { approvedBy: 'alice', hash: asked.hash });
	});

	test(`an approval that is written into the database is none (${dialect})`, async (t) => {
		const { approvals, add, knex, clock, turn } = await open(t, dialect);
		const [alice, bob] = [await add('alice', 'keys'), await add('bob', 'operate')];
		const approved = { approved_by: 'alice', approved_at: clock.now().getTime() };
		const { id } = await approvals.request(asked, bob);
		await knex('approvals').where({ id }).update(approved);
		await t.throwsAsync(approvals.use(asked, bob), { message: /second operator/ });

		const other = await approvals.request({ ...asked, hash: 'c'.repeat(64) }, bob);
		await approvals.give(other.id, alice);
		await knex('approvals')
			.where({ id: other.id })
			.update({ hash: 'd'.repeat(64) });
		await t.throwsAsync(approvals.use({ ...asked, hash: 'd'.repeat(64) }, bob), { message: /second operator/ });
		await knex('approvals')
			.where({ id: other.id })
			.update({ hash: 'c'.repeat(64) });
		await approvals.use({ ...asked, hash: 'c'.repeat(64) }, bob);
		await knex('approvals').where({ id: other.id }).update({ used_at: null });
		await t.throwsAsync(approvals.use({ ...asked, hash: 'c'.repeat(64) }, bob), { message: /second operator/ });

		const old = await approvals.request({ ...asked, hash: 'e'.repeat(64) }, bob);
		await approvals.give(old.id, alice);
		turn(10 * MINUTE_MS);
		await knex('approvals').where({ id: old.id }).update({ approved_at: clock.now().getTime() });
		await t.throwsAsync(approvals.use({ ...asked, hash: 'e'.repeat(64) }, bob), { message: /second operator/ });
	});
}
