/** The property that holds the name of a plugin. If it is missing, Fastify searches all loaded modules for the name. */
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** Gives a plugin its name. */
export function named<Plugin extends object>(name: string, plugin: Plugin): Plugin {
	return Object.assign(plugin, { [DISPLAY_NAME]: name });
}
