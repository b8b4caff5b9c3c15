import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { Approval } from '../../people/operators/approvals.ts';

export function register(program: FramedCommand): void {
	program
		.subcommand('approve', 'let another operator run, once and within ten minutes, what they asked for by --request')
		.argument('<id>', 'of the request')
		.run(async (context, _options, id) => {
			const { OperatorError } = await import('../../people/operators/operator-error.ts');
			const { approvals, operator } = await context.parts();
			if (!operator) throw new OperatorError('operator-required', 'there are no operators, so nobody has to approve');
			const given = shown(await approvals.give(id!, operator));
			context.output.show(given, `Approved until ${given.endsAt}, once, for ${given.requestedBy}: ${given.command}`);
		});
	program
		.subcommand('approval', 'what was asked of a second person')
		.subcommand('list', 'requests that can be approved and approvals that can be used, oldest first')
		.run(async (context) => {
			const { approvals } = await context.parts();
			const rows = (await approvals.list()).map(shown);
			const cells = rows.map((row) => [row.id, row.requestedBy, row.approvedBy, row.endsAt, row.command]);
			const text = rows.length === 0 ? 'None.' : table(['id', 'asked by', 'approved by', 'until', 'command'], cells);
			context.output.show(rows, text);
		});
}

function shown({ requestedAt, endsAt, ...approval }: Approval) {
	return { ...approval, requestedAt: requestedAt.toISOString(), endsAt: endsAt.toISOString() };
}
