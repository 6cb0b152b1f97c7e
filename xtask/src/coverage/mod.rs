mod core_api;
