import { table, wholeNumber } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

export function register(program: FramedCommand): void {
	const login = program.subcommand('login', 'who logged in, and who could not');
	login
		.subcommand(
			'list',
			'logins of an account over sFTP and failed ones over HTTP, the latest first, and where it is shut out',
		)
		.requiredOption('--account <id>', 'user ID of the account')
		.option('--limit <n>', 'at most this many', wholeNumber, 100)
		.run<{ account: string; limit: number }>(async (context, { account, limit }) => {
			const { listLogins } = await import('../../trail/login-list.ts');
			const { scoreStore } = await import('../../base/defender/score-store.ts');
			const { userKey } = await import('../../base/defender/login-guard.ts');
			const { database, identity } = await context.parts();
			const { userId } = await identity.accounts.get(account);
			const logins = await listLogins(database.knex, userId, limit);
			const bans = await scoreStore(database.knex).listBans(Date.now());
			const own = bans.filter(({ address }) => address === userKey(address.split(' ')[0], userId));
			const shutOut = own.map(({ address, untilMs }) => ({
				address: address.split(' ')[0],
				until: new Date(untilMs).toISOString(),
			}));
			const cells = logins.map((each) => [
				...[each.at, each.outcome, each.door, each.address, each.method, each.credential, each.count],
			]);
			const heads = ['at', 'outcome', 'door', 'address', 'method', 'credential', 'times'];
			const notes = shutOut.map(
				({ address, until }) => `Shut out at ${address} until ${until}: ban lift --address ${address}`,
			);
			context.output.show({ logins, shutOut }, [table(heads, cells), ...notes].join('\n'));
		});
}
