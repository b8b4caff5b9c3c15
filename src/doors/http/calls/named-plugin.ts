/** Fastify reads the name of a plugin from this property, and without it searches all loaded modules. */
const DISPLAY_NAME = Symbol.for('fastify.display-name');

/** Gives a Fastify plugin its name, and returns the plugin. */
export function named<Plugin extends object>(name: string, plugin: Plugin): Plugin {
	return Object.assign(plugin, { [DISPLAY_NAME]: name });
}
