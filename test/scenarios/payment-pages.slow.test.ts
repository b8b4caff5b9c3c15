// An operator compares the payment pages of a running daemon with what it sends.

import test from 'ava';
import { openChangingProxy } from '../helpers/changing-proxy.ts';
import { openInstallation } from '../helpers/daemon.ts';

test('`integrity` ends with 1 when something before the daemon changes its pages, and the trail has it', async (t) => {
	const installation = await openInstallation(t);
	const daemon = await installation.start();
	const proxy = await openChangingProxy(t, daemon.baseUrl);
	const intact = await installation.command('integrity', '--base-url', proxy.url);
	t.is(intact.code, 0, intact.stderr);
	t.like(JSON.parse(intact.stdout), { isIntact: true, differences: [] });

	proxy.change = (answer) => {
		if (answer.path.startsWith('/cardrequest/'))
			answer.body = Buffer.from(answer.body.toString().replace('</head>', '<script>steal()</script></head>'));
	};
	const altered = await installation.command('integrity', '--base-url', proxy.url);
	t.is(altered.code, 1);
	t.deepEqual(JSON.parse(altered.stdout).differences, [
		{ of: 'card-request', what: 'a script within the page is added' },
	]);
	const { database } = await installation.parts();
	const [entry] = await database.knex('audit').where({ action: 'page.altered' });
	t.is(JSON.parse(entry.details).what, 'card-request: a script within the page is added');

	const away = await installation.command('integrity', '--base-url', 'http://127.0.0.1:9');
	t.is(away.code, 1);
	t.regex(away.stderr, /could not be fetched/);
});
