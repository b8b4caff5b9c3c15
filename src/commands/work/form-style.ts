import { type CommandContext, readOptionFile, table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

interface StyleOptions {
	readonly userId: string;
	readonly name: string;
}

export function register(program: FramedCommand): void {
	const style = program.subcommand('form-style', 'style sheets with which hosted forms of an account look');
	const command = (name: string, description: string) =>
		style
			.ofAccount(name, description)
			.option('--name <name>', 'the parameter `brand` of a form names it; `default` is that of all others', 'default');

	command('set', 'store a style sheet, which forms use at once; what could load or read something is left out')
		.argument('<file>', 'a file of CSS; - for standard input')
		.run<StyleOptions>(async (context, { userId, name }, file) => {
			const { styles, actor } = await openCommandStyles(context);
			const used = await styles.set(userId, { name, css: await readOptionFile('<file>', file!) }, actor);
			context.output.show({ userId, name, used }, `Forms use:\n${used}`);
		});
	command('show', 'the style sheets of an account').run<StyleOptions>(async (context, { userId }) => {
		const { styles } = await openCommandStyles(context);
		const list = await styles.list(userId);
		const shown = list.map(({ name, css, changed_at }) => ({
			name,
			changedAt: new Date(Number(changed_at)).toISOString(),
			css,
		}));
		const rows = shown.map(({ name, changedAt, css }) => [name, changedAt, String(css.length)]);
		context.output.show(shown, table(['name', 'changed', 'characters'], rows));
	});
	command('remove', 'forms look like ours again').run<StyleOptions>(async (context, { userId, name }) => {
		const { styles, actor } = await openCommandStyles(context);
		await styles.remove(userId, name, actor);
		context.output.show({ userId, name }, `Removed: ${name}`);
	});
}

async function openCommandStyles(context: CommandContext) {
	const { openStyles } = await import('../../work/cardholders/forms/styles.ts');
	const { database, identity, audit, actor } = await context.parts();
	return { styles: openStyles({ database, audit, accounts: identity.accounts }), actor };
}
