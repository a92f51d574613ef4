module.exports = { constants: {}, setImmediate: (run) => setTimeout(() => run()) }
