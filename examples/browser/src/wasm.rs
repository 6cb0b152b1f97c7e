//! Interface for the Worker: conversions only. Errors are thrown as `Error`.

#![allow(missing_docs, unsafe_code, reason = "wasm-bindgen's macros generate code with both")]

use wasm_bindgen::prelude::*;

use crate::{Lab, World};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

#[wasm_bindgen(js_name = World)]
pub struct JsWorld(World);

#[wasm_bindgen(js_class = World)]
impl JsWorld {
    #[wasm_bindgen(constructor)]
    pub fn new(link: &str) -> Result<JsWorld, JsError> {
        World::new(link).map(Self).map_err(error)
    }

    /// See [`World::step`]. Microseconds fit a JavaScript number for 285 years.
    pub fn step(&mut self, until: f64) -> bool {
        self.0.step(until as u64)
    }

    #[wasm_bindgen(js_name = nextAt)]
    pub fn next_at(&self) -> f64 {
        self.0.next_at().map_or(-1.0, |at| at as f64)
    }

    pub fn act(&mut self, what: &str) -> Result<(), JsError> {
        self.0.act(what).map_err(error)
    }

    pub fn now(&self) -> f64 {
        self.0.now() as f64
    }

    pub fn height(&self) -> f64 {
        self.0.height() as f64
    }

    pub fn link(&self) -> String {
        self.0.link()
    }

    pub fn hash(&self) -> String {
        format!("{:016x}", self.0.hash())
    }

    pub fn state(&self) -> String {
        self.0.state()
    }

    pub fn events(&mut self) -> String {
        self.0.take_events().0
    }

    pub fn flights(&mut self) -> Vec<f64> {
        self.0.take_flights()
    }
}

#[wasm_bindgen(js_name = Lab)]
pub struct JsLab(Lab);

#[wasm_bindgen(js_class = Lab)]
impl JsLab {
    #[wasm_bindgen(constructor)]
    pub fn new(n: usize) -> Result<JsLab, JsError> {
        Lab::new(n).map(Self).map_err(error)
    }

    pub fn run(&self, marks: &str) -> Result<String, JsError> {
        self.0.run(marks, &performance_now).map_err(error)
    }
}

fn error(words: String) -> JsError {
    JsError::new(&words)
}
