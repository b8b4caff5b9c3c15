// Whatever people give a name to with a command, the name is stored in clear, so it holds no card number.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeFolder } from '../helpers/file-parts.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { findLeaks, sweepFolder } from '../helpers/secrecy.ts';

const NUMBER = '6011000990139424';
const SECRETS = { numbers: [NUMBER], passages: [] };
const WHOSE = ['--user-id', 'agency'];
const ROUTE = {
	...{ name: 'n', from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { destination: 'bank' } },
};
const DESTINATION = { name: 'bank', host: 'bank.example', userName: 'u', password: 'secret' };

test('a card number in what a command names is refused, and neither stored nor shown', async (t) => {
	const run = openCommandRunner(t);
	t.is((await run('account', 'create', ...WHOSE)).code, 0);
	const folder = makeFolder(t);
	const fileOf = (name: string, content: string) => {
		writeFileSync(join(folder, name), content);
		return join(folder, name);
	};
	let documents = 0;
	const document = (value: object) => ['--file', fileOf(`${++documents}.json`, JSON.stringify(value))];
	const css = fileOf('style.css', 'b { width: 1px }');
	t.is((await run('destination', 'put', ...WHOSE, ...document(DESTINATION))).code, 0);
	t.is((await run('route', 'put', ...WHOSE, ...document(ROUTE))).code, 0);
	for (const command of [
		['account', 'create', '--user-id', NUMBER],
		['destination', 'put', ...WHOSE, ...document({ ...DESTINATION, name: NUMBER })],
		['route', 'put', ...WHOSE, ...document({ ...ROUTE, name: NUMBER })],
		['route', 'put', ...WHOSE, ...document({ ...ROUTE, from: { ...ROUTE.from, files: [`*${NUMBER}*`] } })],
		['route', 'put', ...WHOSE, ...document({ ...ROUTE, from: { ...ROUTE.from, except: [NUMBER] } })],
		['pgp-key', 'create', ...WHOSE, '--name', NUMBER],
		['event', 'endpoint', 'put', ...WHOSE, '--name', NUMBER, '--url', 'https://crm.example/'],
		['event', 'endpoint', 'put', ...WHOSE, '--name', 'crm', '--url', `https://crm.example/${NUMBER}`],
		['event', 'endpoint', 'put', ...WHOSE, '--name', 'crm', '--url', 'https://crm.example/%36011000990139424'],
		['event', 'mail', 'put', ...WHOSE, '--to', `${NUMBER}@agency.example`, '--types', 'job.done'],
		['form-style', 'set', ...WHOSE, '--name', NUMBER, css],
		['form-style', 'set', ...WHOSE, fileOf('number.css', `b { width: 1px } /* ${NUMBER} */`)],
		['portal-user', 'add', ...WHOSE, '--role', 'clerk', `x${NUMBER}`],
		['operator', 'add', NUMBER, '--role', 'keys'],
	]) {
		const { code, stdout, stderr } = await run(...command);
		t.not(code, 0, command.join(' '));
		t.deepEqual(findLeaks('what it says', Buffer.from(stdout + stderr), SECRETS), [], command.join(' '));
	}
	t.deepEqual(sweepFolder(run.dataDir, SECRETS).leaks, []);
});
