import test from 'ava';
import type { AuthContext } from 'ssh2';
import type { SftpIdentity } from '../../src/doors/sftp/identity.ts';
import { Login } from '../../src/doors/sftp/ssh/login.ts';
import { endsWithin } from '../helpers/in-time.ts';

const slowMs = 120;
const delayMs = 200;

function start(options: { admit?: boolean; maxLoginTries?: number; mayTry?: boolean } = {}) {
	const seen = { wrong: 0, tooMany: 0, noRoom: 0, asked: 0, lines: [] as object[], refusals: [] as string[] };
	const identity: SftpIdentity<string> = {
		async byPassword({ userName, password }) {
			seen.asked += 1;
			// This is like a look-up that takes longer for users that exist.
			if (userName === 'demo') await new Promise((resolve) => setTimeout(resolve, slowMs));
			return password === 'right' ? userName : null;
		},
		byPublicKey: async () => null,
		noteLogin: async () => {},
		noteRefusal: ({ reason }) => void seen.refusals.push(reason),
	};
	const log = (fields: object, message: string) => void seen.lines.push({ ...fields, message });
	const login = new Login<string>({
		identity,
		address: '192.0.2.1',
		sessionId: 'session-1',
		limits: { maxLoginTries: options.maxLoginTries ?? 6, failedLoginDelayMs: delayMs },
		logger: { debug: log, info: log, warn: log, error: log },
		isClosed: () => false,
		admit: () => options.admit ?? true,
		logins: {
			mayTry: () => options.mayTry ?? true,
			failed: () => void (seen.wrong += 1),
			succeeded: () => {},
			isShutOut: () => false,
		},
		onTooManySessions: () => void (seen.noRoom += 1),
		onTooManyTries: () => void (seen.tooMany += 1),
		onNotNoted: () => {},
	});
	return { login, seen };
}

function attempt(fields: object) {
	const answers: string[] = [];
	const context = {
		method: 'password',
		username: 'demo',
		accept: () => answers.push('accepted'),
		reject: (methods: string[]) => answers.push(`rejected ${methods}`),
		...fields,
	} as unknown as AuthContext;
	return { context, answers };
}

const refusal = ['rejected publickey,password'];

test('an unknown user and a wrong password take the same time and get the same answer', async (t) => {
	const { login, seen } = start();
	for (const fields of [
		{ username: 'demo', password: 'wrong' },
		{ username: 'nobody', password: 'wrong' },
	]) {
		const { context, answers } = attempt(fields);
		const beganMs = performance.now();
		t.true(await endsWithin(delayMs + slowMs / 2, () => login.attempt(context)));
		t.true(performance.now() - beganMs > delayMs - 5);
		t.deepEqual(answers, refusal);
	}
	t.is(seen.wrong, 2);
	t.deepEqual(seen.refusals, ['wrong credential', 'wrong credential']);
});

test('a right password is accepted without delay', async (t) => {
	const { login } = start();
	const { context, answers } = attempt({ username: 'other', password: 'right' });
	t.true(await endsWithin(delayMs, () => login.attempt(context)));
	t.deepEqual(answers, ['accepted']);
});

test('a valid login for which there is no room is told so, and counts as no wrong credential', async (t) => {
	const { login, seen } = start({ admit: false });
	const { context, answers } = attempt({ password: 'right' });
	await login.attempt(context);
	t.deepEqual(answers, []);
	t.is(seen.noRoom, 1);
	t.is(seen.wrong, 0);
	t.like(seen.lines.at(-1), { message: 'sftp login refused', reason: 'too many sessions' });
	t.deepEqual(seen.refusals, ['too many sessions']);
});

test('the question for methods is answered at once and is no try', async (t) => {
	const { login, seen } = start({ maxLoginTries: 1 });
	const { context, answers } = attempt({ method: 'none' });
	t.true(await endsWithin(delayMs, () => login.attempt(context)));
	t.deepEqual(answers, refusal);
	t.is(seen.tooMany, 0);
});

test('endless questions are ended', async (t) => {
	const { login, seen } = start({ maxLoginTries: 1 });
	for (let turn = 0; turn < 5; turn += 1) await login.attempt(attempt({ method: 'none' }).context);
	t.is(seen.tooMany, 1);
});

test('a change of password, a user name without end and other methods never reach the identity', async (t) => {
	const { login, seen } = start();
	const odd = [
		{ password: { oldPassword: 'right', newPassword: 'new' } },
		{ username: 'x'.repeat(257), password: 'right' },
		{ method: 'keyboard-interactive' },
		{ method: 'hostbased' },
	];
	for (const fields of odd) {
		const { context, answers } = attempt(fields);
		await login.attempt(context);
		t.deepEqual(answers, refusal);
	}
	t.is(seen.asked, 0);
});

test('a banned user is refused as for a wrong password, without a look-up, and the trail says why', async (t) => {
	const { login, seen } = start({ mayTry: false });
	const { context, answers } = attempt({ password: 'right' });
	await login.attempt(context);
	t.deepEqual(answers, refusal);
	t.is(seen.asked, 0);
	t.is(seen.wrong, 0);
	t.deepEqual(seen.refusals, ['shut out']);
});
