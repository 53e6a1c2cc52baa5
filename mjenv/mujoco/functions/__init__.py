"""The functions `mj_`, `mju_`, `mjd_`, `mjv_`, `mjr_`: made from their recorded signatures."""
